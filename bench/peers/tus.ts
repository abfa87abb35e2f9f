/** A peer for uploads: `@tus/server` with its file store, started as in its README. Prints its port. */
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

const [directory = ''] = process.argv.slice(2)
const server = new Server({ path: '/files', relativeLocation: true, datastore: new FileStore({ directory }) })
const http = server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = http.address()
  if (address !== null && typeof address === 'object') console.log(address.port)
})
