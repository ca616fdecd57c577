dnl phpize && ./configure && make
dnl
dnl The client library and the shared memory layer are compiled in. Their sources are reached through the symlinks
dnl client, shm and proto beside this file, and linked one by one into compiled_in/, so that what is built here stays here.

PHP_ARG_ENABLE([oxpool],
  [whether to enable oxpool],
  [AS_HELP_STRING([--enable-oxpool], [Enable oxpool: one cap over all PHP workers of a host])],
  [yes])

if test "$PHP_OXPOOL" != "no"; then
  PHP_REQUIRE_CXX()
  PHP_CXX_COMPILE_STDCXX([20], [mandatory], [PHP_OXPOOL_STDCXX])

  dnl By phpize, or within PHP's own source tree.
  oxpool_dir=`cd "$srcdir" && pwd`
  if test -f "$oxpool_dir/ext/oxpool/oxpool.stub.php"; then
    oxpool_dir="$oxpool_dir/ext/oxpool"
  fi
  oxpool_sources=
  for oxpool_file in "$oxpool_dir"/*.cc; do
    oxpool_sources="$oxpool_sources `basename "$oxpool_file"`"
  done
  for oxpool_part in shm client; do
    if test ! -f "$oxpool_dir/$oxpool_part/CMakeLists.txt"; then
      AC_MSG_ERROR([$oxpool_dir/$oxpool_part leads nowhere: build in a complete checkout of the repository])
    fi
    mkdir -p "$oxpool_dir/compiled_in/$oxpool_part"
    for oxpool_file in "$oxpool_dir/$oxpool_part"/*.cc; do
      oxpool_name=`basename "$oxpool_file"`
      ln -sf "../../$oxpool_part/$oxpool_name" "$oxpool_dir/compiled_in/$oxpool_part/$oxpool_name"
      oxpool_sources="$oxpool_sources compiled_in/$oxpool_part/$oxpool_name"
    done
  done

  OXPOOL_SHARED_LIBADD="-Wl,-z,now -Wl,--version-script=$oxpool_dir/exports.map"
  PHP_SUBST([OXPOOL_SHARED_LIBADD])
  PHP_NEW_EXTENSION([oxpool],
    [$oxpool_sources],
    [$ext_shared],,
    [-I@ext_srcdir@ $PHP_OXPOOL_STDCXX -fvisibility=hidden -fvisibility-inlines-hidden],
    [yes])
  PHP_ADD_BUILD_DIR([$ext_builddir/compiled_in/shm], [1])
  PHP_ADD_BUILD_DIR([$ext_builddir/compiled_in/client], [1])
  PHP_ADD_EXTENSION_DEP([oxpool], [mysqli], [true])
  PHP_ADD_EXTENSION_DEP([oxpool], [pdo], [true])
  PHP_ADD_EXTENSION_DEP([oxpool], [pgsql], [true])
fi
