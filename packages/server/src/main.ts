/** `npm start`: the server as a process. `blindkeep-server serve` does the same. */
import './nodeVersion.ts'

const { runServer } = await import('./options.ts')
await runServer(process.argv.slice(2))
