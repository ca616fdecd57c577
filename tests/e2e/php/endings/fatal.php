<?php
// Dies with E_ERROR when it is included: the class lacks the interface's method.

final class Unfinished implements Countable
{
}
