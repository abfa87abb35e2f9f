import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { utf8 } from '@blindkeep/protocol/bytes'
import { addSeconds } from '@blindkeep/protocol/ids'
import type { ServerFact } from '../../ports/store.ts'
import { movedTo } from '../../testing/moved.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import {
  announcedMove,
  announcedMoveFact,
  completeFormerUrls,
  forgetPublicUrl,
  former,
  formerUrls,
  formerUrlsFact,
  publicUrlIn,
  recordPublicUrl,
} from './publicUrls.ts'

const setFact = ({ store }: World, name: ServerFact, value: Uint8Array) =>
  store.write(['server'], (tx) => tx.server.setFact(name, value))

describe('the addresses that a server notes', () => {
  it(
    'are the present one, with its path',
    inWorld(async (world) => {
      assert.equal(await world.store.read(publicUrlIn), undefined)
      for (const url of ['http://127.0.0.1:8080', 'https://keep.example/blind', 'https://[2001:db8::1]:8443']) {
        await recordPublicUrl(world.store, url)
        assert.equal(await world.store.read(publicUrlIn), url)
      }
    }),
  )

  it(
    'are refused in another form, which a repair removes',
    inWorld(async (world) => {
      for (const wrong of [
        '',
        'keep.example',
        'https://keep.example/',
        'https://a@keep.example',
        'ftp://keep.example',
      ]) {
        await setFact(world, 'public_url', utf8(wrong))
        await assert.rejects(world.store.read(publicUrlIn), /public_url/)
        assert.equal(await world.store.write(['server'], forgetPublicUrl), true)
        assert.equal(await world.store.write(['server'], forgetPublicUrl), false)
        assert.equal(await world.store.read(publicUrlIn), undefined)
      }
      await newAccount(world)
      for (const [noted, isForeign] of [
        ['https://other.example', true],
        [`${world.settings.serverId}/in`, false],
      ] as const) {
        await recordPublicUrl(world.store, noted)
        assert.equal(await world.store.write(['server'], forgetPublicUrl), isForeign)
      }
    }),
  )

  it(
    'are former ones, each once, and a repair lists those that moves name',
    inWorld(async (world) => {
      await newAccount(world)
      assert.deepEqual(await world.store.read(formerUrls), [])
      const there = await movedTo(world, 'https://drop.example.org')
      const back = await movedTo(there, 'https://keep.example')
      await movedTo(back, 'https://drop.example.org')
      const expected = ['https://keep.example/*', 'https://drop.example.org', 'https://keep.example']
      assert.deepEqual(await world.store.read(formerUrls), expected)
      assert.deepEqual(await world.store.read(former), { missing: [], surplus: [] })
      const fact = async () =>
        Buffer.from(defined(await world.store.read((tx) => tx.server.fact('former_urls')))).toString()
      for (const [present, mended] of [
        ['["https://bank.example","https://keep.example/a"]', ['https://drop.example.org/*', 'https://keep.example/a']],
        ['[', ['https://keep.example/*', 'https://drop.example.org/*']],
        ['["https://keep.example/a",7]', ['https://drop.example.org/*', 'https://keep.example/a']],
        ['["https://keep.example/a"]', ['https://drop.example.org/*', 'https://keep.example/a']],
      ] as const) {
        await setFact(world, 'former_urls', utf8(present))
        assert.equal(await world.store.write(['server'], completeFormerUrls), true)
        assert.equal(await fact(), JSON.stringify(mended))
        assert.equal(await world.store.write(['server'], completeFormerUrls), false)
      }
      assert.deepEqual(
        formerUrlsFact(['https://a.example', 'https://b.example', 'https://a.example']),
        utf8('["https://b.example","https://a.example"]'),
      )
    }),
  )

  it(
    'are an announced one only if the master secret vouches for it',
    inWorld(async (world) => {
      const { store, keyring, clock } = world
      const here = { serverId: world.settings.serverId, moves: 1 }
      const announced = (at = here) =>
        store.read(async (tx) => announcedMove(await tx.server.fact('moves_to'), keyring, at))
      const move = { serverId: 'https://drop.example.org', on: addSeconds(clock.now(), 86_400) }
      assert.equal(await announced(), undefined)
      await setFact(world, 'moves_to', announcedMoveFact(move, keyring, here))
      assert.deepEqual(await announced(), move)
      for (const elsewhere of [{ serverId: move.serverId }, { moves: 0 }, { moves: 2 }])
        assert.equal(await announced({ ...here, ...elsewhere }), undefined)
      const json = JSON.stringify({ server_id: move.serverId, on: '2026-12-01T00:00:00.000Z' })
      for (const forged of [utf8(json), keyring.seal('another-name', utf8(json)), new Uint8Array(0)]) {
        await setFact(world, 'moves_to', forged)
        assert.equal(await announced(), undefined)
      }
      for (const wrong of [
        '[]',
        '{',
        json.replace('.org', '.org/'),
        json.replace('.org', '.org/in'),
        json.replace('2026', 'then'),
      ]) {
        await setFact(world, 'moves_to', keyring.seal(`moves-to 1 ${here.serverId}`, utf8(wrong)))
        assert.equal(await announced(), undefined)
      }
    }),
  )
})
