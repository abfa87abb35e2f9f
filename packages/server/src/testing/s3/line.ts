import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line to a store that can be cut and mended. */
export interface Line {
  readonly endpoint: string
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function openLine(endpoint: string): Promise<Line> {
  const { hostname, port } = new URL(endpoint)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      drop()
    },
    mend() {
      isCut = false
    },
    async close() {
      server.close()
      drop()
    },
  }
}
