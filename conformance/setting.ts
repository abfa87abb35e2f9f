/** Makes a well-formed request for any operation of the document, so that a rule can be asked of all of them. */
import { randomUUID } from 'node:crypto'
import type { Call, Client } from './client.ts'
import type { DeclaredOperation } from './document.ts'
import { chunkHeaders, newOpaqueId, openSession, provision, type Session, signUp } from './world.ts'

export interface Setting {
  readonly token: string
  readonly session: Session
}

/** An account with a live link and an open session of one byte. */
export async function newSetting(client: Client): Promise<Setting> {
  const owner = await signUp(client)
  return { token: owner.token, session: await openSession(await provision(owner), Buffer.from('x')) }
}

/** The path of an operation: the setting's own link and session to guests, ids that nothing has to their owners. */
export function pathOf(
  operation: DeclaredOperation,
  { session }: Setting,
  ids: Readonly<Record<string, string>> = {},
): string {
  const guest = operation.path.startsWith('/d/')
  const known: Record<string, string> = {
    opaque_id: guest ? session.opaqueId : newOpaqueId(),
    upload_id: session.uploadId,
    drop_id: randomUUID(),
    device_id: randomUUID(),
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

/** A request that passes every gate before the operation's own judgement, but for its JSON, which is `{}`. */
export function callOf(operation: DeclaredOperation, setting: Setting): Call {
  const call = {
    method: operation.method,
    path: pathOf(operation, setting),
    ...(operation.bearer ? { token: setting.token } : {}),
  }
  if (operation.bodyType === 'application/json') return { ...call, json: {} }
  if (operation.bodyType === undefined) return call
  const body = Buffer.from('x')
  return { ...call, body, headers: chunkHeaders(0, body) }
}

export const isNegotiated = (operation: DeclaredOperation) =>
  /^\/(v1|d)\//.test(operation.path) && operation.path !== '/v1/version'
