#!/bin/sh
# Scans a saved file with ClamAV (Debian: clamav):
#   blindkeep inbox watch --save DIR --exec …/scan.sh --exec-arg QUARANTINE --adopt ALBUM
# 0: nothing was found. Otherwise the drop stays in the inbox. A file in which something was found goes to the directory
# QUARANTINE, on the same disk, under the id of its drop: a guest's name is in no message and in no other path.
set -eu
quarantine=$1 file=$2

refuse() {
  printf '%s: %s\n' "$BLINDKEEP_DROP_ID" "$1"
  exit 1
}

# It runs again at each start, until the drop is out of the inbox.
[ ! -e "$quarantine/$BLINDKEEP_DROP_ID" ] || refuse 'is in quarantine since an earlier start'
# clamscan reads no more than 2 GiB, and calls what it has not read clean unless asked otherwise.
[ "$(wc -c < "$file")" -le 2000000000 ] || refuse 'is too large to be scanned'
status=0
found=$(clamscan --no-summary --infected --stdout --alert-exceeds-max=yes --max-filesize=2000M --max-scansize=2000M \
  --max-scantime=0 -- "$file") || status=$?
case $status in
  0) ;;
  1)
    mkdir -p -m 700 -- "$quarantine"
    mv -- "$file" "$quarantine/$BLINDKEEP_DROP_ID"
    # The name of the file is before the last colon.
    refuse "is in quarantine: ${found##*: }"
    ;;
  *) refuse "could not be scanned: clamscan ended with $status" ;;
esac
