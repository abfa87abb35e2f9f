#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=67108864 node --disable-warning=ExperimentalWarning --max-semi-space-size=2
// A file of its own, because npm links only programs that exist before the first build.
import { existsSync } from 'node:fs'

const { node } = process.versions
const [major, minor] = node.split('.').map(Number)
// Otherwise Node says only which module is missing.
if (major < 22 || (major === 22 && minor < 13)) fail(`This is Node ${node}. Use Node 22.13 or newer.`)
else if (existsSync(new URL('dist/main.js', import.meta.url))) await import('./dist/main.js')
else fail('This checkout is not built. In its own directory, call: npm run build')

function fail(why) {
  console.error(`blindkeep: ${why}`)
  process.exitCode = 1
}
