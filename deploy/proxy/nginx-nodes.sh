#!/bin/sh
# Asks each node every two seconds whether it is ready, and leaves out those that are not, or do not answer: nginx by
# itself finds out only with the requests of people, and a frozen node takes connections. Run it as root, as a service
# beside nginx:
#   nginx-nodes.sh /etc/nginx/blindkeep.nodes 10.0.0.11:8080 10.0.0.12:8080
set -eu
file=$1
shift
reload=${RELOAD:-nginx -s reload}

lines() {
  for node in "$@"; do echo "server $node max_fails=0;"; done
}

while :; do
  ready=
  for node in "$@"; do
    if curl --silent --fail --output /dev/null --max-time 2 "http://$node/readyz"; then ready="$ready $node"; fi
  done
  # If none is ready, all stay: their answers say why.
  wanted=$(lines ${ready:-"$@"})
  if [ "$wanted" != "$(cat "$file" 2>/dev/null)" ]; then
    echo "$wanted" >"$file.new"
    mv "$file.new" "$file"
    # Where nginx is not running yet, it reads the file when it starts.
    $reload || echo "nginx was not reloaded" >&2
  fi
  sleep 2
done
