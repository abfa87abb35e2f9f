/** `npm start`: the server as a process. `blindkeep-server serve` does the same. */
import './process/nodeVersion.ts'

const { runServer } = await import('./process/serve.ts')
await runServer(process.argv.slice(2))
