import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fill, findingsIn } from '../../testing/fsck.ts'
import { movedTo } from '../../testing/moved.ts'
import { draft } from '../../testing/receipts.ts'
import { openUncommitted } from '../../testing/uncommitted.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { rotateAttestationKey } from '../custody/keys.ts'
import { repair } from './repair.ts'

/** Receipts under three keys and two names: rotated, and then moved. */
async function movedWorld(world: World) {
  const filled = await fill(world)
  world.clock.advance(1)
  await rotateAttestationKey(world)
  await world.rules.receiptLog.append(draft())
  world.clock.advance(1)
  const there = await movedTo(world, 'https://drop.example.org')
  await there.rules.receiptLog.append(draft())
  return { filled: { world: there, locations: filled.locations }, there }
}

const key = (number: number) => `(select key_id from attestation_keys order by key_seq limit 1 offset ${number - 1})`
const row = (number: number) => `key_id = ${key(number)}`
const copied = (number: number, column: string) => `(select ${column} from key_changes where ${row(number)})`

/** Each damage, and what the finding says of which key; 0 for the server. */
const DAMAGES: readonly (readonly [damage: string, number: number, what: RegExp])[] = [
  [`delete from key_changes where ${row(2)}`, 2, /no statement joins it/],
  [`delete from key_changes where ${row(3)}`, 3, /no statement joins it/],
  [`delete from key_changes where ${row(3)}`, 0, /leads to https:\/\/keep\.example, this server is https:\/\/drop/],
  [
    `insert into key_changes select ${key(1)}, leave, arrive from key_changes where ${row(2)}`,
    1,
    /joins the first key to one before it/,
  ],
  [`update key_changes set leave = x'00' where ${row(2)}`, 2, /cannot be read/],
  [`update key_changes set arrive = leave where ${row(2)}`, 2, /cannot be read: the two messages are not by/],
  [
    `update key_changes set leave = cast(substr(leave, 1, length(leave) - 1) || x'00' as blob) where ${row(2)}`,
    2,
    /not signed by both keys: the ML-DSA-65 signature/,
  ],
  [
    `update key_changes set arrive = cast(substr(arrive, 1, length(arrive) - 1) || x'00' as blob) where ${row(3)}`,
    3,
    /not signed by both keys/,
  ],
  [
    `update key_changes set leave = ${copied(2, 'leave')}, arrive = ${copied(2, 'arrive')} where ${row(3)}`,
    3,
    /its statement is about/,
  ],
  [`update attestation_keys set active_from = active_from + 1 where ${row(2)}`, 2, /the keys did not change then/],
  [`update attestation_keys set active_to = active_to - 1 where ${row(1)}`, 2, /the keys did not change then/],
  [`delete from receipts where receipt_seq = 6`, 3, /a receipt 6 that the log does not have/],
  [`update server_facts set value = cast('https://keep.example' as blob) where name = 'server_id'`, 0, /leads to/],
  [`delete from server_facts where name = 'server_id'`, 0, /leads to https:\/\/drop.*without an id/],
]

describe('fsck of the statements of keys', () => {
  it(
    'finds nothing wrong in a server that has rotated and moved, and each row that was changed',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const found = async (store: Pick<World['store'], 'read'>) =>
          (await findingsIn(store, { filled })).filter(({ kind }) => kind !== 'receipt_subject_wrong')
        assert.deepEqual(await found(there.store), [])
        const keys = await there.store.read((tx) => tx.keys.attestationKeys())
        const rows = openUncommitted(there)
        try {
          for (const [damage, number, what] of DAMAGES) {
            const findings = (await rows.with(damage, found)).filter(({ kind }) => kind === 'key_change_wrong')
            const where = number === 0 ? {} : { key_id: defined(keys[number - 1]).keyId }
            const isNamed = findings.some((each) => each.where.key_id === where.key_id && what.test(each.what))
            assert.ok(isNamed, `${damage}: ${JSON.stringify(findings, undefined, 2)}`)
          }
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'names a receipt that is under another name than that of its key, or outside of what its key signed',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const kinds = async (store: Pick<World['store'], 'read'>) =>
          (await findingsIn(store, { filled })).map(({ kind, where }) => `${kind} ${where.receipt_seq}`)
        const rows = openUncommitted(there)
        try {
          // The last receipt of the second key, as one of the third.
          const swapped = (column: string) => `(select ${column} from receipts where receipt_seq = 7)`
          const damage = `update receipts set receipt_cbor = ${swapped('receipt_cbor')}, key_id = ${swapped('key_id')} where receipt_seq = 6`
          assert.ok((await rows.with(damage, kinds)).includes('receipt_chain_broken 6'))
          // Without its statement, the third key continues the name of the second one.
          const found = await rows.with(`delete from key_changes where ${row(3)}`, kinds)
          assert.ok(found.includes('receipt_server_wrong 7'), found.join())
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds what is wrong with the noted addresses, and mends it',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const found = async () =>
          (await findingsIn(there.store, { filled })).filter(({ kind }) => kind === 'address_wrong')
        assert.deepEqual(await found(), [])
        for (const [name, value, what] of [
          ['public_url', 'keep', /public_url is no address/],
          ['former_urls', '{}', /former_urls is no list/],
          ['former_urls', '[]', /former_urls lacks https:\/\/keep\.example/],
        ] as const) {
          await there.store.write(['server'], (tx) => tx.server.setFact(name, Buffer.from(value)))
          const [finding, ...more] = await found()
          assert.deepEqual(more, [])
          assert.match(defined(finding).what, what)
          const ports = { ...there, quota: there.rules.quota }
          await repair(ports, defined(defined(finding).repair))
          assert.deepEqual(await found(), [])
        }
      },
      { isOnDisk: true },
    ),
  )
})
