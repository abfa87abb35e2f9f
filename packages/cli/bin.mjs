#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=67108864 node --disable-warning=ExperimentalWarning --max-semi-space-size=2
// A file of its own, because npm links only programs that exist before the first build.
const { node } = process.versions
const [major, minor] = node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 13)) await import('./dist/main.js')
else {
  // Otherwise an old Node says only which of its modules is missing.
  console.error(`blindkeep: This is Node ${node}. Use Node 22.13 or newer.`)
  process.exitCode = 1
}
