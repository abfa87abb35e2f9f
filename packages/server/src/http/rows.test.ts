/** Walks the table of operations: whatever a request leaves in the database has a bound, a rate or a price. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, formatInstant, parseAlbumId } from '@blindkeep/protocol/ids'
import { type Operation, type OperationName, type OperationOf, operations } from '@blindkeep/protocol/operations'
import { AlbumResponse } from '@blindkeep/protocol/schemas/albums'
import { CapabilityResponse } from '@blindkeep/protocol/schemas/capabilities'
import { DeviceResponse } from '@blindkeep/protocol/schemas/devices'
import { LinkEntryResponse } from '@blindkeep/protocol/schemas/links'
import { PasskeyResponse } from '@blindkeep/protocol/schemas/passkeys'
import { SharesResponse } from '@blindkeep/protocol/schemas/shares'
import { KEM_PUBLIC_KEY_BYTES } from '@blindkeep/protocol/suites'
import type { InjectOptions, Response } from 'light-my-request'
import { MAX_UNENDED } from '../domain/assets/capabilities.ts'
import { BOUNDS } from '../domain/ground/bounds.ts'
import { accountLock } from '../ports/store.ts'
import { type AlbumOwner, declaredFor, landBlob, newAlbumOwner, newAssetId } from '../testing/assets.ts'
import { chunkOf, overHttp, said, type Web } from '../testing/http.ts'
import { provedBody } from '../testing/provedBody.ts'
import { defined, inWorld, type World } from '../testing/world.ts'

/** A deletion removes or ends what is there. */
type Writing = {
  [Name in OperationName]: OperationOf<Name>['method'] extends 'GET' | 'HEAD' | 'DELETE' ? never : Name
}[OperationName]

interface Owned extends AlbumOwner {
  readonly world: World
  /** A live link. */
  readonly opaqueId: string
  readonly shareId: string
  /** In the bin. */
  readonly assetId: string
}

interface Loop {
  /** Each call creates another thing. */
  readonly create: (owned: Owned) => InjectOptions
  /** Undefined if it leaves a row without anything to remove. */
  readonly remove?: (owned: Owned, answer: Response, created: InjectOptions) => InjectOptions
  readonly list: (owned: Owned) => string
}

type Leaves =
  /** Removes or ends what is there; what it notes is bounded by what was created. */
  | 'frees'
  /** Changes a value in the place of another one, or nothing. */
  | 'changes'
  /** A key or code is proved, or account or source are counted; what it leaves ends in minutes or is bounded. */
  | 'proved'
  /** Each needs bytes that a quota or the caps of a link count. */
  | 'bytes'
  | Loop

const post = (url: string, payload: object): InjectOptions => ({ method: 'POST', url, payload })
const base64 = (bytes: number) => randomBytes(bytes).toString('base64')
const idIn = (answer: Response, name: string) => String(answer.json()[name])

function uploadOf({ world, ...albumOwner }: Owned, content = randomBytes(16)): object {
  const declared = declaredFor(world, albumOwner, content)
  return {
    album_id: declared.albumId,
    size: declared.size,
    hash: declared.ciphertextHash,
    content_type: declared.contentType,
    crypto_suite_id: declared.suiteId,
    protocol_version: declared.protocolVersion,
    key_mode: declared.keyMode,
    blob_role: declared.role,
    manifest_envelope: declared.envelope,
  }
}

const newLink = () =>
  post('/v1/drops/links', {
    opaque_id: randomBytes(16).toString('hex'),
    drop_pubkey: base64(KEM_PUBLIC_KEY_BYTES),
    crypto_suite_id: 1,
    sealed_label: base64(1100),
  })

const newShare = () =>
  post('/v1/shares', {
    opaque_id: randomBytes(16).toString('hex'),
    sealed_index: base64(1100),
    blob_hashes: [randomBytes(32).toString('hex')],
  })

/** What each operation leaves. One that is missing here does not compile. */
const LEAVES: { readonly [Name in Writing]: Leaves } = {
  register: 'proved',
  noteHeldBack: 'changes',
  nonce: 'changes',
  kdf: 'changes',
  login: 'proved',
  verifyTotp: 'proved',
  refresh: 'proved',
  logout: 'frees',
  bindSession: 'changes',
  nameSession: 'changes',
  enrollTotp: 'proved',
  confirmTotp: 'proved',
  disableTotp: 'frees',
  renewBackupCodes: 'proved',
  startRecovery: 'changes',
  finishRecovery: 'proved',
  changePassword: 'proved',
  changeRecoveryWords: 'proved',
  confirmRecoveryWords: 'proved',
  passkeyLogin: 'proved',
  addPasskey: 'proved',
  namePasskey: 'changes',
  addDevice: {
    create: () => post('/v1/devices', { device_id: randomUUID(), public_key: base64(1984) }),
    remove: (_owned, answer) => ({ method: 'DELETE', url: `/v1/devices/${idIn(answer, 'device_id')}` }),
    list: () => '/v1/devices',
  },
  nameDevice: 'changes',
  createAlbum: {
    create: () => post('/v1/albums', { album_id: randomUUID(), sealed_name: base64(1100) }),
    remove: (_owned, answer) => ({ method: 'DELETE', url: `/v1/albums/${idIn(answer, 'album_id')}` }),
    list: () => '/v1/albums',
  },
  nameAlbum: {
    create: ({ albumId }) => ({
      method: 'PATCH',
      url: `/v1/albums/${albumId}`,
      payload: { sealed_name: base64(1100) },
    }),
    list: () => '/v1/albums',
  },
  mintCapability: {
    create: ({ albumId, world }) =>
      post(`/v1/albums/${albumId}/capabilities`, {
        peer: 'https://peer.example',
        expires_at: formatInstant(addSeconds(world.clock.now(), 3600)),
      }),
    remove: ({ albumId }, answer) => ({
      method: 'DELETE',
      url: `/v1/albums/${albumId}/capabilities/${idIn(answer, 'jti')}`,
    }),
    list: ({ albumId }) => `/v1/albums/${albumId}/capabilities`,
  },
  createUpload: {
    create: (owned) => post('/v1/upload', uploadOf(owned)),
    remove: (_owned, answer) => ({ method: 'DELETE', url: `/v1/upload/${idIn(answer, 'upload_id')}` }),
    list: () => '/v1/upload/sessions',
  },
  appendUpload: 'bytes',
  // Costs what it raises (`retainAssets.test.ts`).
  retainAssets: 'changes',
  verifyStorage: 'changes',
  provisionLink: {
    create: newLink,
    remove: (_owned, answer) => ({ method: 'DELETE', url: `/v1/drops/links/${idIn(answer, 'opaque_id')}` }),
    list: () => '/v1/drops/links',
  },
  changeLink: {
    create: ({ opaqueId }) => ({
      method: 'PATCH',
      url: `/v1/drops/links/${opaqueId}`,
      payload: { sealed_label: base64(1100) },
    }),
    list: () => '/v1/drops/links',
  },
  adoptDrop: 'bytes',
  restoreBinEntry: {
    create: ({ assetId }) => ({ method: 'POST', url: `/v1/bin/${assetId}/restore` }),
    remove: ({ assetId }) => ({ method: 'DELETE', url: `/v1/assets/${assetId}` }),
    list: () => '/v1/bin',
  },
  addChannel: 'proved',
  confirmChannel: 'proved',
  testChannel: 'proved',
  createDrop: 'bytes',
  appendChunk: 'bytes',
  createShare: {
    create: newShare,
    remove: (_owned, answer) => ({ method: 'DELETE', url: `/v1/shares/${idIn(answer, 'opaque_id')}` }),
    list: () => '/v1/shares',
  },
  changeShare: {
    create: ({ shareId }) => ({
      method: 'PATCH',
      url: `/v1/shares/${shareId}`,
      payload: { sealed_name: base64(1100) },
    }),
    list: () => '/v1/shares',
  },
}

const loops = Object.entries(LEAVES).filter((entry): entry is [string, Loop] => typeof entry[1] === 'object')

describe('what requests leave in the database', () => {
  it('is counted for each operation that leaves a row when it is repeated', () => {
    const counted = Object.entries<Operation>(operations)
      .filter(([, { leaves }]) => leaves === 'rows' || leaves === 'uploads')
      .map(([name]) => name)
    // Channels need a place to send to, so `channels.test.ts` has their loop.
    assert.deepEqual(counted.toSorted(), [...loops.map(([name]) => name), 'addChannel'].toSorted())
  })

  for (const [name, loop] of loops)
    it(
      `comes to an end for ${name}, with every list still answered, and a new sign-in has a share of its own`,
      inWorld(
        async (world) => {
          const web = overHttp(world)
          const { owned, authorization, ask } = await newOwner(world, web)
          const last = await untilRefused(loop, owned, ask)
          assert.equal(said(last), '429 request.rate_limited')
          assert.match(String(last.headers['retry-after']), /^[1-9]\d*$/)
          await expectLists(web, owned, authorization)
          const again = await web.signIn(owned.accountId)
          const fresh = await web.ask({ ...loop.create(owned), headers: again })
          assert.ok(fresh.statusCode < 300, said(fresh))
        },
        { settings: { rowsPerDay: 40, unlandedUploadsPerHour: 10 } },
      ),
    )

  it(
    'counts no upload that has landed, neither for its session nor for the account',
    inWorld(
      async (world) => {
        const { owned, ask } = await newOwner(world, overHttp(world))
        const content = randomBytes(16)
        for (let count = 0; count < 10; count += 1) {
          const created = await ask(post('/v1/upload', uploadOf(owned, content)))
          assert.equal(said(created), '201')
          const url = `/v1/upload/${idIn(created, 'upload_id')}`
          const sent = await ask({ ...chunkOf({ opaqueId: '', uploadId: '' }, content), url })
          assert.equal(said(sent), '204')
        }
      },
      { settings: { unlandedUploadsPerHour: 8 } },
    ),
  )

  it(
    'has a rate also for what is refused at a bound',
    inWorld(
      async (world) => {
        const { owned, ask } = await newOwner(world, overHttp(world))
        const { accountId } = owned
        await world.store.write([accountLock(accountId)], async (tx) => {
          for (let count = await tx.albums.count(accountId); count < BOUNDS.albums; count += 1) {
            const albumId = defined(parseAlbumId(randomUUID()))
            await tx.albums.insert({ albumId, accountId, sealedName: undefined, createdAt: world.clock.now() })
          }
        })
        const create = () => ask(post('/v1/albums', { album_id: randomUUID() }))
        assert.equal(said(await create()), '403 request.limit_reached')
        let last = ''
        for (let count = 0; count < 10; count += 1) last = said(await create())
        assert.equal(last, '429 request.rate_limited')
      },
      { settings: { rowsPerDay: 40 } },
    ),
  )

  it(
    'is refused below the floor of free space, while what frees is done',
    inWorld(
      async (world) => {
        let isFull = false
        const rules = world.rulesOver({
          staging: { ...world.staging, check: async () => (isFull ? 0 : 2 ** 40) },
        })
        const web = overHttp({ ...world, rules })
        const { owned, authorization } = await newOwner(world, web)
        const made = new Map<string, [Loop, InjectOptions, Response]>()
        for (const [name, loop] of loops) {
          const created = loop.create(owned)
          made.set(name, [loop, created, await web.ask({ ...created, headers: { authorization } })])
        }
        isFull = true
        world.clock.advance(2)
        for (const [name, [loop, created, answer]] of made) {
          const refused = await web.ask({ ...loop.create(owned), headers: { authorization } })
          assert.equal(said(refused), '500 storage.full', name)
          const removal = loop.remove?.(owned, answer, created)
          if (removal === undefined) continue
          assert.equal(said(await web.ask({ ...removal, headers: { authorization } })), '204', name)
        }
        const proving = { operation: 'enrollTotp', serverId: world.settings.serverId, seed: randomBytes(32) } as const
        for (const [path, payload] of [
          ['enroll', await provedBody(web.ask, proving, {})],
          ['confirm', { code: '123456' }],
        ] as const) {
          const refused = await web.ask({ ...post(`/v1/auth/totp/${path}`, payload), headers: { authorization } })
          assert.equal(said(refused), '500 storage.full', path)
        }
        await expectLists(web, owned, authorization)
      },
      { settings: { freeSpaceFloorBytes: 1024 } },
    ),
  )
})

/** What one account's answers may hold (`budget.ts`). */
const OWNER_ANSWER_BYTES = 48 * 1024 * 1024

describe('the longest list', () => {
  for (const [what, schema, count] of [
    ['devices', DeviceResponse, BOUNDS['devices, revoked ones included']],
    ['links', LinkEntryResponse, BOUNDS['links, ended ones included']],
    ['albums', AlbumResponse, BOUNDS.albums],
    ['shares', SharesResponse.properties.shares.items, BOUNDS.shares],
    ['passkeys', PasskeyResponse, BOUNDS.passkeys],
    ['capabilities', CapabilityResponse, BOUNDS['live capabilities']],
  ] as const)
    it(`of ${what} has room in the memory for an account’s answers, each entry as long as it may be`, () => {
      const bytes = count * mostBytesOf(schema)
      assert.ok(bytes < OWNER_ANSWER_BYTES, `${count} entries have up to ${bytes} bytes`)
    })

  it('of revoked tokens has less than 5 MB', () => {
    const entry = { jti: randomUUID(), expires_at: new Date().toISOString() }
    assert.ok(MAX_UNENDED * (JSON.stringify(entry).length + 1) < 5_000_000)
  })
})

/** The longest JSON of an object of texts, numbers and booleans. */
function mostBytesOf({ properties }: { readonly properties: object }): number {
  return Object.entries(properties).reduce((sum, [name, { maxLength }]) => sum + name.length + (maxLength ?? 40) + 6, 2)
}

async function newOwner(world: World, web: Web) {
  const albumOwner = await newAlbumOwner(world)
  const { authorization } = await web.signIn(albumOwner.accountId)
  const ask = (request: InjectOptions) => web.ask({ ...request, headers: { ...request.headers, authorization } })
  const { opaque_id: opaqueId } = (await ask(newLink())).json()
  const { opaque_id: shareId } = (await ask(newShare())).json()
  const assetId = newAssetId()
  await landBlob(world, albumOwner, randomBytes(16), { assetId })
  await world.rules.assets.remove(albumOwner.accountId, assetId)
  return { owned: { ...albumOwner, opaqueId, shareId, assetId, world }, authorization, ask }
}

/** Far more than the settings of these tests allow. */
const MAX_PAIRS = 100

async function untilRefused(
  { create, remove }: Loop,
  owned: Owned,
  ask: (request: InjectOptions) => Promise<Response>,
): Promise<Response> {
  for (let pair = 0; pair < MAX_PAIRS; pair += 1) {
    const created = create(owned)
    const answer = await ask(created)
    if (answer.statusCode >= 300) return answer
    const removal = remove?.(owned, answer, created)
    if (removal !== undefined) assert.equal(said(await ask(removal)), '204')
  }
  throw new Error(`nothing refused the pair after ${MAX_PAIRS} times`)
}

async function expectLists(web: Web, owned: Owned, authorization: string): Promise<void> {
  for (const [name, { list }] of loops)
    assert.equal(said(await web.ask({ method: 'GET', url: list(owned), headers: { authorization } })), '200', name)
  for (const url of ['/v1/sync', '/v1/drops', '/v1/channels', '/v1/passkeys', '/v1/auth/sessions', '/v1/quota'])
    assert.equal(said(await web.ask({ method: 'GET', url, headers: { authorization } })), '200', url)
  for (const url of ['revoked-jti', 'server-info', 'attestation-keys', 'deprecation'])
    assert.equal(said(await web.ask({ method: 'GET', url: `/.well-known/service/${url}` })), '200', url)
}
