/** Owners and guests for tests, with random keys and no passwords: few tests pay for Argon2id. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { resumeOwner } from '@blindkeep/client/account'
import { callProved, createCalls } from '@blindkeep/client/call'
import type { Device } from '@blindkeep/client/device'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import { type Landed, openLink, type PrepareOptions, type SendState, send } from '@blindkeep/client/guest'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { DescribedDrop, Owner } from '@blindkeep/client/owner'
import { sourceOfBytes } from '@blindkeep/client/source'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import type { TokenResponse } from '@blindkeep/protocol/schemas/accounts'

/** Node's Argon2id, ten times as fast as JavaScript: same results (`ground/password.test.ts`). Once for each text. */
export const quickStretching: Pick<Environment, 'masterOfPassword' | 'passphraseProof'> = {
  masterOfPassword: remembering(nodeEnvironment.masterOfPassword),
  passphraseProof: remembering(nodeEnvironment.passphraseProof),
}

/** A browser's, but for Argon2id. */
export const quickEnvironment: Environment = { ...systemEnvironment, ...quickStretching }

/** Most tests with a password sign in with what they have registered. */
function remembering(stretch: Environment['masterOfPassword']): Environment['masterOfPassword'] {
  const stretched = new Map<string, ReturnType<typeof stretch>>()
  return async (text, salt) => {
    const key = `${toBase64(salt)} ${text}`
    const result = stretched.get(key) ?? stretch(text, salt)
    stretched.set(key, result)
    return (await result).slice()
  }
}

/** Registers a new account, with the code of an invite where registration is not open. */
export async function newOwner(baseUrl: string, environment = quickEnvironment, invite?: string): Promise<Owner> {
  const { owner } = await newAccount(baseUrl, { environment, invite })
  return owner
}

interface NewAccount {
  readonly email?: string
  readonly environment?: Environment
  readonly invite?: string | undefined
}

/** The same account in its first session, and in another one of each call of `signIn`. */
export async function newAccount(
  baseUrl: string,
  { email = `${randomUUID()}@example.org`, environment = quickEnvironment, invite }: NewAccount = {},
): Promise<{ readonly owner: Owner; signIn(): Promise<Owner> }> {
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const [seed, accountKey] = [randomBytes(32), new Uint8Array(randomBytes(32))]
  const ownerOf = (answer: TokenResponse) => {
    const tokens = {
      accountId: answer.account_id,
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: answer.expires_at,
    }
    return resumeOwner({ baseUrl, email, accountKey, tokens, environment })
  }
  const members = { seed, email, ...(invite !== undefined && { invite }) }
  const { body: registered } = await callProved(calls, 'register', members)
  return {
    owner: ownerOf(registered),
    async signIn() {
      const { status, body } = await callProved(calls, 'login', { seed, email })
      assert.equal(status, 200)
      return ownerOf(body)
    },
  }
}

/** Another client of the same account, with nothing in its memory. */
export function anotherClient(baseUrl: string, owner: Owner, environment = quickEnvironment): Owner {
  const { email, accountKey } = owner
  return resumeOwner({ baseUrl, email, accountKey, tokens: owner.tokens(), environment })
}

/** A new account with album and writing device. The untied session survives the device's revocation. */
export async function newKeeper(baseUrl: string, environment?: Environment): Promise<Keeper> {
  const owner = await newOwner(baseUrl, environment)
  const { albumId } = await owner.createAlbum({ name: 'Album' })
  return { owner, album: albumId, device: await owner.addDevice(undefined, { tie: false }) }
}

export interface Keeper {
  readonly owner: Owner
  readonly album: AlbumId
  readonly device: Device
}

/** All pending drops, opened: only these can be adopted. */
export async function openedDrops(owner: Owner): Promise<readonly DescribedDrop[]> {
  return (await owner.inbox()).filter((item) => item.file !== undefined)
}

/** Adopts a drop and stops before anything signed is sent. Resolves with the unfinished asset. */
export async function adoptInPart({ owner, album, device }: Keeper, drop: DescribedDrop): Promise<AssetId> {
  const assetId = owner.newAssetId()
  const stopped = new AbortController()
  const onProgress = () => stopped.abort(new Error('stopped'))
  const work = owner.adoptDrop(drop, { album, device, assetId, signal: stopped.signal, onProgress })
  await work.catch((error: unknown) => {
    if (error !== stopped.signal.reason) throw error
  })
  return assetId
}

export interface SentFile {
  readonly content: Uint8Array
  readonly state: SendState
  readonly landed: Landed
}

/** A guest sends `content` through the link. */
export async function sendFile(
  url: string,
  content: Uint8Array,
  facts: Omit<PrepareOptions, 'source'> = {},
  environment = quickEnvironment,
): Promise<SentFile> {
  const source = sourceOfBytes(content)
  const link = await openLink(url, environment)
  const state = await link.prepare({ ...facts, source })
  return { content, state, landed: await send({ state, source, environment }) }
}

/** The parameter of `fetchReceipt`. */
export function custodyOf({
  state,
  landed,
}: SentFile): Landed & { readonly baseUrl: string; readonly opaqueId: string } {
  return { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
}
