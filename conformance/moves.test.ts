/** A server says by signed statements how its attestation key and its name have changed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Call, json } from './call.ts'
import { checkReceipts } from './checker/check.ts'
import type { Client } from './client.ts'
import { expectAnswer } from './expect.ts'
import type { KeysDocument } from './receiptWriter.ts'
import { connect, NEEDS_OWN_SERVER, newServer } from './server.ts'
import { type Link, land, newLink, sessionPath } from './world.ts'

interface Moves {
  readonly server_id: string
  readonly moves: readonly unknown[]
  readonly rotations: readonly unknown[]
}

interface Info {
  readonly server_id: string
  readonly moved_from?: { readonly server_id: string; readonly moved_at: string }
}

const documentCall = (name: string): Call => ({ method: 'GET', path: `/.well-known/service/${name}` })
const read = async <Shape>(client: Client, name: string) => json<Shape>(await client.send(documentCall(name)))

async function receiptOf(link: Link): Promise<unknown> {
  const session = await land(link, randomBytes(10))
  return json(await session.client.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }))
}

/** Of each name, from the first to the present one. */
const names: string[] = []
const receipts: unknown[] = []
const client = NEEDS_OWN_SERVER === false ? await movedServer() : await connect()

/** A server with receipts of four names and five keys. Its last name is its first one. */
async function movedServer(): Promise<Client> {
  const operated = await newServer()
  const live = async (at: Client) => {
    names.push((await read<Info>(at, 'server-info')).server_id)
    receipts.push(await receiptOf(await newLink(at)))
    return at
  }
  let present = await live(operated.client)
  const { base } = present
  await operated.operate('keys', 'rotate')
  receipts.push(await receiptOf(await newLink(present)))
  const { port } = new URL(base)
  for (const name of [`http://localhost:${port}`, `http://[::1]:${port}`, base])
    present = await live(await operated.move(name))
  return present
}

// Covers: Moves
describe('the statements of a server that has never moved', { skip: NEEDS_OWN_SERVER }, () => {
  it('are those of its rotations, without which no key but the first counts', async () => {
    const { client: own, operate } = await newServer()
    const { server_id } = await read<Info>(own, 'server-info')
    assert.deepEqual(await read<Moves>(own, 'moves'), { server_id, moves: [], rotations: [] })
    const given = [await receiptOf(await newLink(own))]
    await operate('keys', 'rotate')
    given.push(await receiptOf(await newLink(own)))
    const [keys, moves] = [await read<KeysDocument>(own, 'attestation-keys'), await read<Moves>(own, 'moves')]
    assert.deepEqual([keys.keys.length, moves.moves.length, moves.rotations.length], [2, 0, 1])
    assert.deepEqual((await checkReceipts(given, { keys, moves, whole: true, log: true })).faults, [])
    const unsigned = await checkReceipts(given, { keys, moves: { ...moves, rotations: [] } })
    assert.deepEqual(new Set(unsigned.faults.map(({ kind }) => kind)), new Set(['keys']))
    assert.ok(!('moved_from' in (await read<Info>(own, 'server-info'))))
  })
})

// Covers: Moves
describe('the statements of a server that has moved', { skip: NEEDS_OWN_SERVER }, () => {
  it('join all names and keys, so that the receipts of all are one log', async () => {
    const [keys, moves] = [await read<KeysDocument>(client, 'attestation-keys'), await read<Moves>(client, 'moves')]
    assert.deepEqual([keys.keys.length, moves.moves.length, moves.rotations.length], [5, 3, 1])
    assert.deepEqual([moves.server_id, keys.server_id], [names.at(-1), names.at(-1)])
    const report = await checkReceipts(receipts, { keys, moves, whole: true, log: true })
    assert.deepEqual(report.faults, [])
    const claimed = report.claimed_former_names?.map(({ claimed_server_id: name, receipts: count }) => [name, count])
    assert.deepEqual(
      claimed,
      names.slice(0, -1).map((name, index) => [name, index === 0 ? 2 : 1]),
    )
  })

  it('are all needed: without one of them, the receipts of former names do not count', async () => {
    const [keys, moves] = [await read<KeysDocument>(client, 'attestation-keys'), await read<Moves>(client, 'moves')]
    for (const fewer of [
      { ...moves, rotations: [] },
      ...moves.moves.map((_, index) => ({ ...moves, moves: moves.moves.toSpliced(index, 1) })),
    ]) {
      const { faults } = await checkReceipts(receipts, { keys, moves: fewer })
      assert.deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(['keys', 'server']))
    }
  })

  it('are cached like the keys', async () => {
    const call = documentCall('moves')
    const reply = await client.send(call)
    const { etag = '' } = reply.headers
    assert.match(String(etag), /^"[^"]+"$/)
    const keys = await client.send(documentCall('attestation-keys'))
    assert.equal(reply.headers['cache-control'], keys.headers['cache-control'])
    const headers = { 'if-none-match': String(etag) }
    for (const method of ['GET', 'HEAD']) {
      expectAnswer(await client.send({ ...call, method }), '200')
      expectAnswer(await client.send({ ...call, method, headers }), '304')
    }
  })

  it('agree with what server-info says of the last name', async () => {
    const { server_id, moved_from } = await read<Info>(client, 'server-info')
    const keys = await read<KeysDocument>(client, 'attestation-keys')
    assert.equal(server_id, names.at(-1))
    assert.deepEqual(moved_from, { server_id: names.at(-2), moved_at: keys.keys.at(-1)?.active_from })
  })
})
