/** Builds a well-formed request for any operation of the document, for tests of rules that all operations share. */
import { randomUUID } from 'node:crypto'
import { newAuthor, newBundle, openUpload } from './assetWorld.ts'
import type { Call } from './call.ts'
import type { Client } from './client.ts'
import type { DeclaredOperation } from './document.ts'
import { newKey } from './proving.ts'
import { sealedKey } from './recovering.ts'
import {
  base64,
  chunkHeaders,
  newEmail,
  newOpaqueId,
  type OwnSession,
  openSession,
  provision,
  type Session,
  sha256,
} from './world.ts'

/** What a well-formed request needs to name. */
export interface Targets {
  readonly token: string
  readonly session: Session
  readonly upload: OwnSession
}

/** An account with a live link and two open sessions of one byte: one of a guest, one of its own. */
export async function newTargets(client: Client): Promise<Targets> {
  const author = await newAuthor(client)
  const file = Buffer.from('x')
  return {
    token: author.owner.token,
    session: await openSession(await provision(author.owner), file),
    upload: await openUpload(newBundle(author, { original: file })),
  }
}

/** The path of an operation with the ids of the given sessions and their link, and otherwise with unknown ids. */
export function pathOf(
  operation: DeclaredOperation,
  { session, upload }: Targets,
  ids: Readonly<Record<string, string>> = {},
): string {
  const guest = operation.path.startsWith('/d/')
  const known: Record<string, string> = {
    opaque_id: guest ? session.opaqueId : newOpaqueId(),
    upload_id: (guest ? session : upload).uploadId,
    drop_id: randomUUID(),
    bin_id: randomUUID(),
    device_id: randomUUID(),
    passkey_id: randomUUID(),
    channel_id: randomUUID(),
    session_id: randomUUID(),
    album_id: randomUUID(),
    jti: randomUUID(),
    asset_id: randomUUID(),
    hash: sha256(Buffer.from(randomUUID())),
    code: 'error.request.malformed',
    ...ids,
  }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = known[name]
    if (value === undefined) throw new Error(`the suite has no value for {${name}} of ${operation.name}`)
    return value
  })
  return operation.name === 'DELETE /v1/drops' ? `${path}?opaque_id=${newOpaqueId()}` : path
}

/** A request that passes every gate; its JSON is `{}`. */
export function callOf(operation: DeclaredOperation, targets: Targets): Call {
  const call = {
    method: operation.method,
    path: pathOf(operation, targets),
    ...(operation.bearer ? { token: targets.token } : {}),
  }
  if (operation.bodyType === 'application/json') return { ...call, json: {} }
  if (operation.bodyType === undefined) return call
  const body = Buffer.from('x')
  return { ...call, body, headers: chunkHeaders(0, body) }
}

/** Values of the members that requests with a proof require. */
const MEMBERS: Readonly<Record<string, () => unknown>> = {
  email: newEmail,
  proof: () => ({ key: base64(32), nonce: base64(56), signature: base64(64) }),
  sign_in_key: () => newKey().shown,
  recovery_key: () => newKey().shown,
  sealed_recovery_key: sealedKey,
  passkey_key: () => newKey().shown,
  passkey_id: randomUUID,
  credential_id: () => base64(20),
  sealed_passkey_key: () => base64(1200),
  code: () => '000000',
}

/** A body of the right form, with a proof that is not valid. */
export const withoutRightProof = ({ required }: DeclaredOperation): object =>
  Object.fromEntries(required.map((name) => [name, MEMBERS[name]?.()]))

export const isNegotiated = (operation: DeclaredOperation) =>
  /^\/(v1|d)\//.test(operation.path) && operation.path !== '/v1/version'
