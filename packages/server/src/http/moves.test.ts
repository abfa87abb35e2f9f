import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { addSeconds } from '@blindkeep/protocol/ids'
import { decodeKeyChange } from '@blindkeep/protocol/keyChange'
import { rotateAttestationKey } from '../domain/custody/keys.ts'
import { announcedMoveFact } from '../domain/discovery/publicUrls.ts'
import { overHttp } from '../testing/http.ts'
import { movedTo } from '../testing/moved.ts'
import { inTwoNodes } from '../testing/twoNodes.ts'
import { inWorld, newAccount, type World } from '../testing/world.ts'

const [OLD, NEW] = ['https://keep.example', 'https://drop.example.org']

const asking =
  (world: World) =>
  (name: string, headers: Readonly<Record<string, string>> = {}) =>
    overHttp(world).ask({ url: `/.well-known/service/${name}`, headers })

const kindsIn = (list: readonly { readonly leave: string; readonly arrive: string }[]) =>
  list.map(({ leave, arrive }) => decodeKeyChange({ leave: fromBase64(leave), arrive: fromBase64(arrive) }).change.kind)

describe('the statements of a server', () => {
  it(
    'are published from its first start on: none, those of rotations, and of moves',
    inWorld(async (world) => {
      const none = { server_id: OLD, moves: [], rotations: [] }
      assert.deepEqual((await asking(world)('moves')).json(), none)
      await newAccount(world)
      await rotateAttestationKey(world)
      const before = (await asking(world)('moves')).json()
      assert.deepEqual([before.server_id, before.moves, kindsIn(before.rotations)], [OLD, [], ['rotation']])
      assert.equal((await asking(world)('server-info')).json().moved_from, undefined)
      const there = await movedTo(world, NEW)
      const ask = asking(there)
      const [moves, keys] = [await ask('moves'), await ask('attestation-keys')]
      const { server_id: serverId, moves: list, rotations } = moves.json()
      assert.deepEqual([serverId, kindsIn(list), kindsIn(rotations)], [NEW, ['move'], ['rotation']])
      for (const { headers } of [moves, keys])
        assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate')
      const moved = { server_id: OLD, moved_at: new Date(world.clock.now()).toISOString() }
      assert.deepEqual((await ask('server-info')).json().moved_from, moved)
      const held = { 'if-none-match': String(moves.headers.etag) }
      assert.equal((await ask('moves', held)).statusCode, 304)
      await rotateAttestationKey(there)
      const later = await ask('moves', held)
      assert.deepEqual([later.statusCode, later.json().rotations.length], [200, 2])
    }),
  )

  it(
    'cost server-info no more than one look at the store',
    inWorld(async (world) => {
      let looks = 0
      const look: World['store']['look'] = () => {
        looks += 1
        return world.store.look()
      }
      const { discovery } = world.rulesOver({ store: { ...world.store, look } })
      await discovery.serverInfo()
      looks = 0
      await discovery.serverInfo()
      assert.equal(looks, 1)
    }),
  )

  it(
    'of which one was damaged are missing, and the rest of the server is there',
    inWorld(async (world) => {
      await newAccount(world)
      const { active } = await rotateAttestationKey(world)
      const broken = {
        ...world.store,
        read: (work) => world.store.read((tx) => work({ ...tx, keys: { ...tx.keys, keyChanges: damaged } })),
      } satisfies World['store']
      const damaged = async () => [{ keyId: active, leave: new Uint8Array(9), arrive: new Uint8Array(9) }]
      const ask = asking({ ...world, rules: world.rulesOver({ store: broken }) })
      assert.equal((await ask('moves')).statusCode, 500)
      assert.equal((await ask('server-info')).statusCode, 200)
    }),
  )

  it(
    'are preceded by an announcement, which ends with the move, also if its row is put back',
    inWorld(async (world) => {
      await newAccount(world)
      const on = addSeconds(world.clock.now(), 86_400)
      const { serverId } = world.settings
      const fact = announcedMoveFact({ serverId: NEW, on }, world.keyring, { serverId, moves: 0 })
      const announced = async (at: World) => (await asking(at)('server-info')).json().moves_to
      assert.equal(await announced(world), undefined)
      const put = () => world.store.write(['server'], (tx) => tx.server.setFact('moves_to', fact))
      await put()
      assert.deepEqual(await announced(world), { server_id: NEW, on: new Date(on).toISOString() })
      const there = await movedTo(world, NEW)
      assert.equal(await announced(there), undefined)
      const back = await movedTo(await movedTo(there, 'https://third.example'), serverId)
      await put()
      assert.equal(await announced(back), undefined)
    }),
  )
})

describe('of two nodes, the statements', () => {
  it(
    'are published by the one that did not change the key as soon as by the one that did',
    inTwoNodes(async ({ here, there }) => {
      await rotateAttestationKey(here)
      const hereNew = await movedTo(here, NEW)
      const thereNew = {
        ...there,
        rules: there.rulesOver({ store: there.store, keys: hereNew.keys }, hereNew.settings),
      }
      const ask = asking(thereNew)
      for (const count of [1, 2, 3]) {
        assert.equal((await ask('moves')).json().rotations.length, count)
        await rotateAttestationKey(hereNew)
      }
    }),
  )
})
