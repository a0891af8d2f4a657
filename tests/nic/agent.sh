# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Runs in a guest, as its first process: what the folder's scripts say. A line of the second serial port is a request:
#   run NAME           NAME.sh, with its output in NAME.out and NAME.err; its exit status goes to NAME.status at the end
#   kill NAME SIGNAL   to it
folder=$1
cd "$folder" || exit 1
stty -F /dev/ttyS1 raw -echo
exec 3</dev/ttyS1
echo "guest: $(uname -r), $(nproc) CPUs, up for $(cut -d' ' -f1 /proc/uptime) s"
: >ready
while read -r request name signal <&3; do
  case $request in
    run)
      {
        sh "$name.sh" >"$name.out" 2>"$name.err" </dev/null 3<&-
        echo $? >"$name.ending"
        mv "$name.ending" "$name.status"
      } &
      ;;
    kill) kill -s "$signal" "$(cat "$name.pid")" ;;
  esac
done
