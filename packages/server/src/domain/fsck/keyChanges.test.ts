import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CoseToBeSigned } from '@blindkeep/protocol/cose'
import { keyChangeToBeSigned, type MovePayload } from '@blindkeep/protocol/keyChange'
import type { AttestationKey } from '../../ports/store.ts'
import { fill, findingsIn } from '../../testing/fsck.ts'
import { movedTo } from '../../testing/moved.ts'
import { draft } from '../../testing/receipts.ts'
import { openUncommitted } from '../../testing/uncommitted.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { rotateAttestationKey } from '../custody/keys.ts'
import { signedChanges } from '../discovery/signedChanges.ts'
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
  [`update attestation_keys set key_seq = key_seq + 10 where ${row(2)}`, 0, /in another order/],
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
    'names a receipt that is under another name than that of its key',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const kinds = async (store: Pick<World['store'], 'read'>) =>
          (await findingsIn(store, { filled })).map(({ kind, where }) => `${kind} ${where.receipt_seq}`)
        const rows = openUncommitted(there)
        try {
          // Without its statement, the third key continues the name of the second one.
          const found = await rows.with(`delete from key_changes where ${row(3)}`, kinds)
          assert.ok(found.includes('receipt_server_wrong 7'), found.join())
          // Statements that cannot be read say nothing of addresses: a repair must not forget one.
          const unread = await rows.with(`update key_changes set leave = x'00'`, kinds)
          assert.ok(!unread.some((each) => each.startsWith('address_wrong')), unread.join())
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds what a statement claims wrongly, though both keys have signed it',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const [, old, active] = await there.store.read((tx) => tx.keys.attestationKeys())
        const { moves, rotations } = await there.store.read(signedChanges)
        const { change } = defined(moves[0])
        const headAt = async (seq: number) => ({
          last_receipt_seq: seq,
          last_receipt_hash: defined(await there.store.read((tx) => tx.receipts.hashOf(seq))),
        })
        const rows = openUncommitted(there)
        const found = async (changes: Partial<MovePayload>) => {
          const toBeSigned = keyChangeToBeSigned({ ...change, ...changes })
          const hex = (key: AttestationKey | undefined, message: CoseToBeSigned) =>
            Buffer.from(world.keyring.openAttestationKey(defined(key)).sign(message)).toString('hex')
          const [leave, arrive] = [hex(old, toBeSigned.leave), hex(active, toBeSigned.arrive)]
          const damage = `update key_changes set leave = x'${leave}', arrive = x'${arrive}' where ${row(3)}`
          return (await rows.with(damage, (store) => findingsIn(store, { filled })))
            .filter(({ kind }) => kind !== 'receipt_subject_wrong')
            .map(({ kind, what }) => `${kind}: ${what}`)
        }
        try {
          assert.deepEqual(await found({}), [])
          const prior = defined(rotations[0]).hash
          for (const [changes, expected] of [
            [
              { moved_at: '2099-01-01T00:00:00.000Z' },
              /^key_change_wrong: its statement is of 2099-.*did not change then/,
            ],
            [{ last_receipt_hash: prior }, /^receipt_key_wrong: the statements say that its key signed other receipts/],
            [await headAt(7), /^receipt_key_wrong: the statements say that its key signed other receipts/],
            [
              { ...(await headAt(5)), last_receipt_hash: prior },
              /^key_change_wrong: its statement names receipt 5, the one before it receipt 5/,
            ],
            [{ from: 'https://third.example' }, /^key_change_wrong: its statement is of https:\/\/third\.example/],
            [{ number: 2, prior_move_hash: prior }, /^key_change_wrong: its statement does not continue the move/],
            [await headAt(1), /^key_change_wrong: its statement names receipt 1, the one before it receipt 5/],
            [await headAt(5), /^receipt_key_wrong: the statements say that its key signed other receipts/],
          ] as const) {
            const findings = await found(changes)
            assert.ok(
              findings.some((each) => expected.test(each)),
              `${expected}: ${findings.join('; ')}`,
            )
          }
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds a move that does not follow the one before it',
    inWorld(
      async (world) => {
        const { filled, there } = await movedWorld(world)
        const back = await movedTo(there, 'https://keep.example')
        const [old, active] = (await back.store.read((tx) => tx.keys.attestationKeys())).slice(-2)
        const { moves, rotations } = await back.store.read(signedChanges)
        const { change } = defined(moves[1])
        const rows = openUncommitted(back)
        try {
          for (const changes of [{}, { number: 3 }, { prior_move_hash: defined(rotations[0]).hash }]) {
            const toBeSigned = keyChangeToBeSigned({ ...change, ...changes })
            const hex = (key: AttestationKey | undefined, message: CoseToBeSigned) =>
              Buffer.from(world.keyring.openAttestationKey(defined(key)).sign(message)).toString('hex')
            const [leave, arrive] = [hex(old, toBeSigned.leave), hex(active, toBeSigned.arrive)]
            const damage = `update key_changes set leave = x'${leave}', arrive = x'${arrive}' where ${row(4)}`
            const found = await rows.with(damage, (store) => findingsIn(store, { filled: { ...filled, world: back } }))
            assert.deepEqual(
              found.flatMap(({ kind, what }) => (kind === 'key_change_wrong' ? [what] : [])),
              Object.keys(changes).map(() => 'its statement does not continue the move before it'),
            )
          }
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
          ['public_url', 'https://keep.example', /public_url is an address of another server/],
          ['former_urls', '[]', /former_urls lacks https:\/\/keep\.example/],
          [
            'former_urls',
            '["https://keep.example","https://bank.example"]',
            /has https:\/\/bank\.example, which no move/,
          ],
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
