#!/usr/bin/env bash
# vectors.sh COMMAND DATA: every vector file through `corliss … check`, packets once a kernel that this CPU has.
set -euo pipefail
corliss=$1
data=$2
for kernel in $("$corliss" packet kernels --json | python3 -c 'import json, sys; print(*[k["name"] for k in json.load(sys.stdin) if k["supported"]])'); do
  echo "packet check, kernel $kernel: $(CORLISS_KERNEL=$kernel "$corliss" packet check "$data/crypto/channel.json" | tail -1)"
done
echo "steamid check: $("$corliss" steamid check "$data/proto/steamid.json")"
echo "manifest check: $("$corliss" manifest check "$data/content/manifests.json")"
echo "chunk check: $("$corliss" chunk check "$data/content/chunks.json")"
echo "kv check: $("$corliss" kv check "$data/keyvalues/keyvalues.json" | tail -1)"
