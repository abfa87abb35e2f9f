/** The address of a server that has an account is part of its owners' passkeys, links and receipts. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newOwner } from '../../testing/people.ts'
import { startServer } from '../../testing/startServer.ts'

it('a server with an account starts at no other address, says what to do, and starts at its own one again', async (t) => {
  const server = await startServer()
  t.after(() => server.stop())
  await server.restart({ PUBLIC_URL: 'http://127.0.0.1:9/before' })
  await server.restart({ PUBLIC_URL: '' })
  await newOwner(server.url)
  await assert.rejects(
    server.restart({ PUBLIC_URL: 'https://other.example', REGISTRATION: 'open' }),
    (error: Error) => {
      for (const part of [server.url, 'https://other.example', 'PUBLIC_URL', 'DATA_DIR'])
        assert.ok(error.message.includes(part), part)
      return true
    },
  )
  await server.restart({ PUBLIC_URL: '' })
  await newOwner(server.url)
})
