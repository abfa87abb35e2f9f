import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { type OpaqueId, parseDropId, parseUploadId } from '@blindkeep/protocol/ids'
import { openBlob } from '../../testing/assetSessions.ts'
import { newAlbumOwner } from '../../testing/assets.ts'
import {
  accountRow,
  append,
  bytes,
  creation,
  land,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, newAccount, newOpaqueId, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { CreateDrop } from './drops.ts'

const content = bytes(100)

const reasonOf = (answer: unknown): string => (isRefusal(answer) ? String(Object(answer).refused) : 'created')

const create = async (world: World, request: CreateDrop) => reasonOf(await world.rules.drops.create(request))

/** Whether nothing is reserved on the link or charged to its owner. */
async function isUntouched(world: World, opaqueId: OpaqueId): Promise<boolean> {
  const { openSessions, openBytes, landedBytes, accountId } = await linkRow(world, opaqueId)
  return openSessions + openBytes + landedBytes + (await accountRow(world, accountId)).usedBytes === 0
}

describe('creating a drop session', () => {
  it(
    'reserves the link’s caps, charges the owner and inserts a staged object',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      const { state, location, size, ciphertextHash, receivedBytes } = await uploadRow(world, uploadId)
      assert.deepEqual([state, size, ciphertextHash, receivedBytes], ['open', 100, sha256(content), 0])
      const object = await world.store.read((tx) => tx.objects.find(location))
      assert.deepEqual([object?.state, object?.size], ['staged', 100])
      const { openSessions, openBytes, accountId } = await linkRow(world, opaqueId)
      assert.deepEqual([openSessions, openBytes], [1, 100])
      assert.equal((await accountRow(world, accountId)).usedBytes, 100)
    }),
  )

  it(
    'refuses in the specified order, and changes nothing',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const gated = await newLink(
          world,
          { passphraseVerifier: content, maxFileSize: 150, maxTotalBytes: 120, maxFileCount: 5 },
          owner,
        )
        const faulty = { contentType: 'text/html', kemCt: 'AAAA' }
        const proof = toBase64(content)
        const ask = (overrides: Parameters<typeof creation>[2], opaqueId = gated) =>
          create(world, creation(opaqueId, content, { source: 'a', ...overrides }))

        assert.equal(await ask({ declaration: { ...faulty, size: 151 } }, newOpaqueId()), 'link_not_live')
        assert.equal(await ask({ declaration: { ...faulty, size: 151 } }), 'passphrase_missing')
        assert.equal(
          await ask({ declaration: { ...faulty, size: 151 }, proof: toBase64(bytes(32)) }),
          'passphrase_wrong',
        )
        assert.equal(await ask({ declaration: { ...faulty, size: 151 }, proof }), 'file_too_large')
        assert.equal(await ask({ declaration: { ...faulty, size: 130 }, proof }), 'caps_exhausted')
        assert.equal(await ask({ declaration: { ...faulty, size: 110 }, proof }), 'quota_exceeded')
        assert.equal(await ask({ declaration: faulty, proof }), 'declaration_malformed')
        assert.equal(await isUntouched(world, gated), true)
        assert.equal(await ask({ proof }), 'created')

        // The link admits three and, of each network's first ones, three more; each source one. The limit of the source
        // is judged before the link is looked up, the limit of the link before the proof.
        const open = await newLink(world, {}, await newAccount(world))
        const small = { declaration: { size: 9 } }
        for (const source of ['b', 'd', 'e', 'f', 'g', 'h'])
          assert.equal(await ask({ source, ...small }, open), 'created')
        assert.equal(await ask({ source: 'c', ...small, proof }, open), 'link_limited')
        assert.equal(await ask({ source: 'b' }, newOpaqueId()), 'source_limited')
      },
      { settings: { quotaHardBytes: 105, linkSessionsPerWindow: 3, sourceSessionsPerWindow: 1 } },
    ),
  )

  it(
    'accepts file names of 1 to 255 characters without control characters, and stores them unchanged',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const refused = [
        '',
        'a\r\nb',
        'a\0b',
        'tab\t',
        '\x7f',
        '\x85',
        'x'.repeat(256),
        'x'.repeat(65_536),
        '\ud800',
        '😀'.repeat(256),
      ]
      for (const suggestedFilename of refused) {
        const answer = await create(world, creation(opaqueId, content, { declaration: { suggestedFilename } }))
        assert.equal(answer, 'declaration_malformed', JSON.stringify(suggestedFilename).slice(0, 40))
      }
      const accepted = [
        '<img src=x onerror=alert(1)>',
        '../../etc/passwd',
        'gpj.\u202eexe',
        '😀'.repeat(255),
        ' ',
        'ﬁ',
        "';--",
      ]
      for (const suggestedFilename of accepted) {
        const uploadId = notRefused(
          await world.rules.drops.create(creation(opaqueId, content, { declaration: { suggestedFilename } })),
        )
        assert.equal((await uploadRow(world, uploadId)).suggestedFilename, suggestedFilename)
      }
    }),
  )

  it(
    'refuses when free space would fall below its floor, counting open sessions',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const ask = (size: number) => create(world, creation(opaqueId, content, { declaration: { size } }))
        assert.equal(await ask(601), 'storage_full')
        assert.equal(await isUntouched(world, opaqueId), true)
        assert.equal(await ask(400), 'created')
        assert.equal(await ask(201), 'storage_full')
        assert.equal(await ask(200), 'created')
        assert.equal(await ask(1), 'storage_full')
      },
      {
        settings: { freeSpaceFloorBytes: 400 },
        around: { blobs: (real) => ({ ...real, check: async () => 1000 }) },
      },
    ),
  )

  it(
    'counts exactly up to 2^53-1 bytes and refuses more',
    inWorld(
      async (world) => {
        const max = 2 ** 53 - 1
        const owner = await newAccount(world)
        const ask = async (opaqueId: OpaqueId, size: number) =>
          create(world, creation(opaqueId, content, { declaration: { size } }))
        const [first, second] = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
        assert.equal(await ask(first, max), 'created')
        assert.equal(await ask(first, 1), 'caps_exhausted')
        assert.equal(await ask(second, 1), 'quota_exceeded')
        assert.equal((await accountRow(world, owner)).usedBytes, max)
      },
      {
        settings: { blobBytesMax: 2 ** 53 - 1 },
        around: { blobs: (real) => ({ ...real, check: async () => 2 ** 53 - 1 }) },
      },
    ),
  )

  it(
    'stops at ten thousand drops of an account, pending and incoming together',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const opaqueId = await newLink(world, {}, albumOwner.accountId)
      const landed = await land(world, opaqueId, content)
      const [drop] = await world.rules.inbox.list(await ownerOf(world, opaqueId))
      await world.store.write([], async (tx) => {
        for (let count = 1; count < world.settings.inboxFilesMax; count += 1) {
          const id = `${String(count).padStart(8, '0')}${landed.slice(8)}`
          const own = { dropId: defined(parseDropId(id)), uploadId: defined(parseUploadId(id)) }
          await tx.drops.insert({ ...defined(drop), ...own })
        }
      })
      assert.equal(await create(world, creation(opaqueId, content)), 'inbox_full')
      const tooLarge = { declaration: { size: 2 ** 40 + 1 } }
      assert.equal(await create(world, creation(opaqueId, content, tooLarge)), 'file_too_large')
      await world.rules.inbox.discard(await ownerOf(world, opaqueId), defined(drop).dropId)
      // The owner’s own session does not land in the inbox.
      await openBlob(world, albumOwner, content)
      assert.equal(await create(world, creation(opaqueId, content)), 'created')
      // An open session counts until it ends, because it may land.
      assert.equal(await create(world, creation(opaqueId, content)), 'inbox_full')
      const [open] = await world.store.read((tx) => tx.uploads.openOf(opaqueId))
      await world.rules.ending.cancel(defined(open))
      const last = await openDrop(world, opaqueId, content)
      notRefused(await append(world, last, { offset: 0, bytes: content }))
      const pending = await world.store.read((tx) => tx.drops.countPending(defined(drop).accountId))
      assert.equal(pending, world.settings.inboxFilesMax)
    }),
  )
})

describe('64 guests at once', () => {
  const ask = (world: World, opaqueIds: readonly OpaqueId[]) =>
    Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        create(world, creation(defined(opaqueIds[at % opaqueIds.length]), content)),
      ),
    )

  it(
    'get exactly as many sessions as the caps allow',
    inWorld(async (world) => {
      for (const [caps, fits] of [
        [{ maxFileCount: 7 }, 7],
        [{ maxTotalBytes: 999 }, 9],
        [{ maxTotalBytes: 1000 }, 10],
        [{ maxFileCount: 0 }, 0],
        [{ singleUse: true }, 64],
      ] as const) {
        const opaqueId = await newLink(world, caps)
        const answers = await ask(world, [opaqueId])
        assert.equal(answers.filter((answer) => answer === 'created').length, fits)
        assert.ok(answers.every((answer) => answer === 'created' || answer === 'caps_exhausted'))
        assert.equal((await linkRow(world, opaqueId)).openSessions, fits)
      }
    }),
  )

  it(
    'get no more sessions than the owner’s quota allows, over all links',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const links = [
          await newLink(world, {}, owner),
          await newLink(world, {}, owner),
          await newLink(world, {}, owner),
        ]
        const answers = await ask(world, links)
        assert.equal(answers.filter((answer) => answer === 'created').length, 11)
        assert.ok(answers.every((answer) => answer === 'created' || answer === 'quota_exceeded'))
        assert.equal((await accountRow(world, owner)).usedBytes, 1100)
      },
      { settings: { quotaHardBytes: 1199 } },
    ),
  )
})
