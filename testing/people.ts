/** Owners and guests for tests. Account keys are random and passwords are not stretched, so only tests about passwords pay for Argon2id. */
import { randomBytes, randomUUID } from 'node:crypto'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { AlbumId } from '@blindkeep/protocol/ids'
import type { Device } from '../packages/client/src/account/device.ts'
import type { Environment } from '../packages/client/src/environment.ts'
import { openLink, type PrepareOptions } from '../packages/client/src/guest.ts'
import { createCalls } from '../packages/client/src/http/call.ts'
import { createSession, tokenPairOf } from '../packages/client/src/http/session.ts'
import { type Owner, openOwner } from '../packages/client/src/owner.ts'
import { sourceOfBytes } from '../packages/client/src/seal/source.ts'
import { type Landed, send } from '../packages/client/src/send/send.ts'
import type { SendState } from '../packages/client/src/send/sendState.ts'

/** Registers a new account. */
export async function newOwner(baseUrl: string, environment?: Environment): Promise<Owner> {
  const calls = createCalls({ baseUrl })
  const body = { email: `${randomUUID()}@example.org`, password: toBase64(randomBytes(32)) }
  const { body: answer } = await calls.call('register', { body })
  const session = createSession({ calls, tokens: tokenPairOf(answer) })
  return openOwner({ baseUrl, accountKey: new Uint8Array(randomBytes(32)), session, environment })
}

/** Another client of the same account, with nothing in its memory. */
export function anotherClient(baseUrl: string, owner: Owner, environment?: Environment): Owner {
  const session = createSession({ calls: createCalls({ baseUrl }), tokens: owner.tokens() })
  return openOwner({ baseUrl, accountKey: owner.accountKey, session, environment })
}

/** A new account with an album and a device that may write. */
export async function newKeeper(baseUrl: string, environment?: Environment): Promise<Keeper> {
  const owner = await newOwner(baseUrl, environment)
  const { albumId } = await owner.createAlbum({ name: 'Album' })
  return { owner, album: albumId, device: await owner.addDevice() }
}

export interface Keeper {
  readonly owner: Owner
  readonly album: AlbumId
  readonly device: Device
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
): Promise<SentFile> {
  const source = sourceOfBytes(content)
  const link = await openLink(url)
  const state = await link.prepare({ ...facts, source })
  return { content, state, landed: await send({ state, source }) }
}

/** The parameter of `fetchReceipt`. */
export function custodyOf({
  state,
  landed,
}: SentFile): Landed & { readonly baseUrl: string; readonly opaqueId: string } {
  return { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
}
