/** Short calls for what guests and owners do in tests of the rules. */
import { randomBytes } from 'node:crypto'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { AccountId, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import { KEM_CIPHERTEXT_BYTES } from '@blindkeep/protocol/suites'
import type { ChunkAnswer, ChunkRequest } from '../domain/arrival/chunks.ts'
import type { Declaration } from '../domain/drops/declaration.ts'
import type { CreateDrop } from '../domain/drops/drops.ts'
import type { Provision } from '../domain/drops/links.ts'
import { isRefusal } from '../domain/ground/refusals.ts'
import { findUpload } from '../domain/uploads/findUpload.ts'
import type { Account, DropUpload, LinkRow } from '../ports/store.ts'
import { defined, newAccount, newOpaqueId, sha256, type World } from './world.ts'

export function provision(overrides: Partial<Provision> = {}): Provision {
  return {
    opaqueId: newOpaqueId(),
    dropPublicKey: new Uint8Array(randomBytes(32)),
    suiteId: 1,
    expiresAt: undefined,
    ...linkCapsOf({}),
    singleUse: false,
    passphraseVerifier: undefined,
    sealedLabel: undefined,
    sealedTitle: undefined,
    ...overrides,
  }
}

export async function newLink(world: World, overrides: Partial<Provision> = {}, owner?: AccountId): Promise<OpaqueId> {
  const accountId = owner ?? (await newAccount(world))
  return notRefused(await world.rules.links.provision(accountId, provision(overrides)))
}

/** Returns the answer. Throws when it is a refusal. */
export function notRefused<Answer>(answer: Answer): Exclude<Answer, { readonly refused: string }> {
  if (isRefusal(answer)) throw new Error(`refused: ${JSON.stringify(answer)}`)
  return answer as Exclude<Answer, { readonly refused: string }>
}

export function declare(content: Uint8Array, overrides: Partial<Declaration> = {}): Declaration {
  return {
    contentType: 'application/octet-stream',
    size: content.length,
    ciphertextHash: sha256(content),
    kemCt: toBase64(new Uint8Array(KEM_CIPHERTEXT_BYTES)),
    suggestedFilename: undefined,
    ...overrides,
  }
}

export function creation(
  opaqueId: OpaqueId,
  content: Uint8Array,
  overrides: Partial<Omit<CreateDrop, 'opaqueId' | 'declaration'>> & {
    readonly declaration?: Partial<Declaration>
  } = {},
): CreateDrop {
  const { declaration, ...rest } = overrides
  const nothing = { proof: undefined, idempotencyKey: undefined, source: undefined }
  return { opaqueId, ...nothing, ...rest, declaration: declare(content, declaration) }
}

export async function openDrop(world: World, opaqueId: OpaqueId, content: Uint8Array): Promise<UploadId> {
  return notRefused(await world.rules.drops.create(creation(opaqueId, content)))
}

export const never = new AbortController().signal

export async function* inPieces(bytes: Uint8Array, pieceBytes = 64 * 1024): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** One request for a chunk, found and appended as the routes do it. */
export async function appendChunk(
  { rules }: Pick<World, 'rules'>,
  uploadId: UploadId,
  request: ChunkRequest,
): Promise<ChunkAnswer> {
  const found = await rules.chunks.find(findUpload(uploadId), request.offset)
  return isRefusal(found) ? found : rules.chunks.append(found, request)
}

/** Sends one chunk whole. */
export function append(
  world: Pick<World, 'rules'>,
  uploadId: UploadId,
  chunk: { readonly offset: number; readonly bytes: Uint8Array },
): Promise<ChunkAnswer> {
  const { offset, bytes } = chunk
  return appendChunk(world, uploadId, { offset, checksum: sha256(bytes), body: inPieces(bytes), signal: never })
}

/** Opens a session and sends all bytes. */
export async function land(world: World, opaqueId: OpaqueId, content: Uint8Array): Promise<UploadId> {
  const uploadId = await openDrop(world, opaqueId, content)
  notRefused(await append(world, uploadId, { offset: 0, bytes: content }))
  return uploadId
}

/** What a process leaves that dies after the last byte: a session in the finishing state with durable bytes. */
export async function leaveFinishing(world: World, uploadId: UploadId, content: Uint8Array): Promise<void> {
  const { location, size, opaqueId } = await uploadRow(world, uploadId)
  const at = world.clock.now()
  await world.blobs.write(
    { location, key: undefined, offset: 0 },
    { body: inPieces(content), signal: never, onBytes: () => undefined },
  )
  await world.blobs.settle(location, size)
  await world.store.write([], async (tx) => {
    await tx.uploads.append(uploadId, { offset: 0, length: size, checksum: sha256(content) }, at)
    await tx.links.claim(opaqueId, uploadId)
    await tx.uploads.move(uploadId, { from: 'open', to: 'finishing', at })
  })
}

export const bytes = (count: number): Uint8Array => new Uint8Array(randomBytes(count))

/** All bytes of an object. */
export async function readObject(
  { blobs }: World,
  { location, size }: { readonly location: string; readonly size: number },
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of blobs.read(location, { start: 0, end: size })) pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function linkRow({ store }: World, opaqueId: OpaqueId): Promise<LinkRow> {
  return defined(await store.read((tx) => tx.links.find(opaqueId)))
}

/** A guest's session. */
export async function uploadRow({ store }: World, uploadId: UploadId): Promise<DropUpload> {
  const upload = defined(await store.read((tx) => tx.uploads.find(uploadId)))
  if (upload.assetId !== undefined) throw new Error('the session is an owner’s')
  return upload
}

export async function accountRow({ store }: World, accountId: AccountId): Promise<Account> {
  return defined(await store.read((tx) => tx.accounts.find(accountId)))
}

export async function ownerOf(world: World, opaqueId: OpaqueId): Promise<AccountId> {
  return (await linkRow(world, opaqueId)).accountId
}
