#!/bin/sh
# Sends a mail about a saved file with msmtp and jq (Debian: msmtp jq; server and sender are in ~/.msmtprc):
#   blindkeep inbox watch --save DIR --exec …/mail.sh --exec-arg me@example.org
# The servers of the mail can read it. It has what the guest says, as base64: no text of a guest is a header, a command
# or another recipient. A program that was killed runs again, so a mail may come twice.
set -eu
to=$1 file=$2
answers=$(jq --raw-output '.claimed_fields[]? | "\(.label): \(.value)"' "$BLINDKEEP_FACTS")

{
  printf 'To: %s\nSubject: A file has arrived\nMIME-Version: 1.0\n' "$to"
  printf 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n'
  printf '%s\n%s bytes, received at %s\nLink: %s\nThe guest says:\nSender: %s\n%s\nNote: %s\n' "$file" \
    "$BLINDKEEP_SIZE" "$BLINDKEEP_RECEIVED_AT" "$BLINDKEEP_LINK_LABEL" "$BLINDKEEP_SENDER" "$answers" "$BLINDKEEP_NOTE" |
    base64
} | msmtp -- "$to"
