#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --disable-warning=ExperimentalWarning --max-semi-space-size=2
// A file of its own, because npm links only programs that exist before the first build.
import { existsSync } from 'node:fs'

// Otherwise Node says only which module is missing.
if (existsSync(new URL('dist/cli.js', import.meta.url))) await import('./dist/cli.js')
else {
  console.error('blindkeep-server: This checkout is not built. In its own directory, call: npm run build')
  process.exitCode = 1
}
