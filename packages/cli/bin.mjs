#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --disable-warning=ExperimentalWarning --max-semi-space-size=2
// A file of its own, because npm links only programs that exist before the first build.
import './dist/main.js'
