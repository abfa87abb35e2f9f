/** A peer for the start: loads the modules that the server's start loads, does nothing with them, and answers. Takes the server's compile cache and a port. */
import { createServer } from 'node:http'
import { enableCompileCache, flushCompileCache } from 'node:module'

const [compiled = '', port = '0'] = process.argv.slice(2)
enableCompileCache(compiled)
await import('../../packages/server/src/app.ts')
flushCompileCache()
createServer((_request, response) => response.end('ok')).listen(Number(port), '127.0.0.1')
