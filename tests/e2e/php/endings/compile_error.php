<?php
// Dies with E_COMPILE_ERROR when it is included from ends.php, which has declared this function.

function end_now(): void
{
}
