import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { openClient } from './client.ts'
import { LOGIN_HELP } from './login.ts'

/** A message of authentication of PostgreSQL's protocol. */
function authentication(kind: number, text: string): Buffer {
  const content = Buffer.from(text, 'latin1')
  const head = Buffer.alloc(9)
  head.write('R')
  head.writeUInt32BE(8 + content.length, 1)
  head.writeUInt32BE(kind, 5)
  return Buffer.concat([head, content])
}

describe('a connection of a command to PostgreSQL', () => {
  it('says what to do when the server asks for a password and none is set', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      let received = ''
      let hasContinued = false
      socket.on('error', () => undefined)
      socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1')
        const nonce = /,r=([^,\0]+)$/.exec(received)?.[1]
        if (nonce === undefined || hasContinued) return
        hasContinued = true
        socket.write(authentication(11, `r=${nonce}more,s=c2FsdA==,i=4096`))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const { PGPASSWORD, PGPASSFILE } = process.env
      assert.deepEqual([PGPASSWORD, PGPASSFILE], [undefined, undefined])
      await assert.rejects(openClient(`postgres://user@127.0.0.1:${port}/data?sslmode=disable`), {
        message: LOGIN_HELP,
      })
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })
})
