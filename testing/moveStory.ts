/**
 * A server moves from one name to another, and its people go on: what they made at the old name, they use at the new
 * one. The old name leads nowhere from the move on.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { logIn, registerOwner } from '@blindkeep/client/account'
import type { Device } from '@blindkeep/client/device'
import type { Environment } from '@blindkeep/client/environment'
import { normalPassphrase, openLink, send } from '@blindkeep/client/guest'
import { prepareMove } from '@blindkeep/client/move'
import type { Owner } from '@blindkeep/client/owner'
import {
  type CheckedReceipt,
  type DropCustody,
  erasOf,
  fetchReceipt,
  type PinnedKeys,
} from '@blindkeep/client/receipts'
import { newRecoveryWords, recover } from '@blindkeep/client/recovery'
import { openShare } from '@blindkeep/client/share'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { CommandOutcome } from './command.ts'
import { quickEnvironment } from './people.ts'

export const OLD = 'https://keep.example.org'
export const NEW = 'https://drop.example.net:8443'
export const PASSWORD = 'a long sentence that outlives an address'
export const PASSPHRASE = 'Open – Sesame'

export interface MovableServer {
  /** The address of this machine to which both names lead. */
  readonly url: string
  /** Ends all its processes; its data stays. */
  terminate(): Promise<unknown>
  command(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<CommandOutcome>
  /** Starts all its processes again, with these additional settings. */
  start(settings: Readonly<Record<string, string>>): Promise<void>
}

interface Names {
  /** Its requests arrive by the names at the server; those of names that are not `live` arrive nowhere. */
  readonly environment: Environment
  readonly live: Set<string>
  close(): void
}

/** `fetch` does not let its caller set the Host, so a proxy of this process does. */
async function openNames(url: string): Promise<Names> {
  const proxy = createServer((incoming, outgoing) => {
    const { 'x-name': host, ...headers } = incoming.headers
    const options = { method: incoming.method, path: incoming.url, headers: { ...headers, host: String(host) } }
    const forwarded = request(url, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const live = new Set([OLD])
  const asked: typeof fetch = async (input, init) => {
    const { origin, host, pathname, search } = new URL(String(input))
    if (!live.has(origin)) throw new TypeError('fetch failed')
    const headers = new Headers(init?.headers)
    headers.set('x-name', host)
    return fetch(`http://127.0.0.1:${address.port}${pathname}${search}`, { ...init, headers })
  }
  return {
    environment: { ...quickEnvironment, fetch: asked },
    live,
    close() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

interface SentDrop {
  readonly content: Uint8Array
  readonly custody: DropCustody
  readonly checked: CheckedReceipt
}

/** What people have at the old name. */
interface Before {
  readonly owner: Owner
  readonly words: readonly string[]
  readonly authenticator: Authenticator
  readonly backupCodes: readonly string[]
  readonly album: AlbumId
  readonly device: Device
  /** Waits in the inbox. */
  readonly drop: SentDrop
  /** Uploaded, and shared at `shareUrl`. */
  readonly asset: { readonly assetId: AssetId; readonly content: Uint8Array }
  readonly linkUrl: string
  readonly shareUrl: string
  readonly pins: PinnedKeys
}

/** The whole story; throws where it ends otherwise than it should. */
export async function moveStory(server: MovableServer): Promise<void> {
  const names = await openNames(server.url)
  try {
    await tell(server, names)
  } finally {
    names.close()
  }
}

async function tell(server: MovableServer, { environment, live }: Names): Promise<void> {
  const before = await liveAtOld(environment)
  await server.terminate()
  live.clear()
  const { status, stdout, stderr } = await server.command(['move', '--yes', '--unchecked', '--json'], {
    PUBLIC_URL: NEW,
  })
  assert.equal(status, 0, stderr)
  const { moved, from, to, number, accounts } = JSON.parse(stdout)
  assert.deepEqual({ moved, from, to, number, accounts }, { moved: true, from: OLD, to: NEW, number: 1, accounts: 1 })
  await server.start({ PUBLIC_URL: NEW })
  live.add(NEW)

  await followedWithPins(environment, before)
  await endedTokens(environment, before)
  const owner = await signedInAgain(environment, before)
  await usedAtNew(environment, { ...before, owner })
  await recoveredByWords(environment, before)
  live.add(OLD)
  await saysMoved(environment, before)
  await server.terminate()
  const checked = await server.command(['fsck', '--deep'], { PUBLIC_URL: NEW })
  assert.equal(checked.status, 0, checked.stdout + checked.stderr)
}

async function sendDrop(environment: Environment, url: string): Promise<SentDrop> {
  const content = new Uint8Array(randomBytes(100_000))
  const source = sourceOfBytes(content)
  const link = await openLink(url, environment)
  assert.equal(link.title, 'Your tax papers')
  const state = await link.prepare({ source, name: 'papers.zip', passphrase: normalPassphrase(PASSPHRASE) })
  const landed = await send({ state, source, environment })
  const custody = { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
  return { content, custody, checked: await fetchReceipt({ custody, environment }) }
}

const account = (baseUrl: string, environment: Environment, email: string) => ({ baseUrl, environment, email })

export async function liveAtOld(environment: Environment, old = OLD): Promise<Before> {
  const recovery = newRecoveryWords()
  const person = account(old, environment, `${randomUUID()}@example.org`)
  const owner = await registerOwner({ ...person, password: PASSWORD, recovery })
  const words = await recovery.confirm()
  const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password: PASSWORD }))
  const backupCodes = await owner.confirmSecondFactor(authenticator.next())
  const { albumId: album } = await owner.createAlbum({ name: 'Kept' })
  const device = await owner.addDevice()
  const { url: linkUrl } = await owner.createLink({ title: 'Your tax papers', passphrase: PASSPHRASE })
  const drop = await sendDrop(environment, linkUrl)
  assert.equal(drop.checked.signed.payload.server_id, old)
  const content = new Uint8Array(randomBytes(50_000))
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), name: 'photo.jpg', album, device })
  const { url: shareUrl } = await owner.createShare([assetId], { passphrase: PASSPHRASE })
  const { keys: pins } = await owner.assetReceipts(assetId)
  const asset = { assetId, content }
  return { owner, words, authenticator, backupCodes, album, device, drop, asset, linkUrl, shareUrl, pins }
}

/** A machine with pins follows by the signed statement alone: the old name is silent. */
async function followedWithPins(environment: Environment, { pins, drop, asset, owner }: Before): Promise<void> {
  const prepared = await prepareMove({ from: OLD, to: NEW, pinned: pins, environment })
  assert.equal(prepared.old.is, 'silent')
  assert.equal(prepared.pins.serverId, NEW)
  const custody = { ...drop.custody, baseUrl: NEW }
  const { signed, keys } = await fetchReceipt({ custody, pinned: prepared.pins, environment })
  assert.deepEqual([signed.hash, signed.payload.server_id], [drop.checked.signed.hash, OLD])
  const names = (await erasOf(keys))?.map(({ serverId }) => serverId)
  assert.deepEqual(names, [OLD, NEW], `${asset.assetId} of ${owner.email}`)
}

async function endedTokens(environment: Environment, { owner }: Before): Promise<void> {
  const { accessToken, refreshToken } = owner.tokens()
  const ask = (path: string, init: RequestInit) => environment.fetch(`${NEW}${path}`, init)
  const authorization = { authorization: `Bearer ${accessToken}` }
  assert.equal((await ask('/v1/account', { headers: authorization })).status, 401)
  const body = JSON.stringify({ refresh_token: refreshToken })
  const headers = { 'content-type': 'application/json' }
  assert.equal((await ask('/v1/auth/refresh', { method: 'POST', headers, body })).status, 401)
}

async function signedInAgain(environment: Environment, { owner, authenticator, device }: Before): Promise<Owner> {
  const person = account(NEW, environment, owner.email)
  const { challenge } = await logIn({ ...person, password: PASSWORD, deviceId: device.deviceId })
  assert.ok(challenge)
  const again = await challenge.answer(authenticator.next())
  assert.deepEqual(again.accountKey, owner.accountKey)
  return again
}

async function usedAtNew(environment: Environment, before: Before): Promise<void> {
  const { owner, album, device, drop, asset } = before
  const at = (url: string) => url.replace(OLD, NEW)
  assert.deepEqual(
    (await owner.albums()).map(({ name }) => name),
    ['Kept'],
  )
  const contentOf = async (assetId: AssetId) => {
    const opened = await owner.openAsset(assetId)
    return new Uint8Array(await new Response(opened.content).arrayBuffer())
  }
  assert.deepEqual(await contentOf(asset.assetId), asset.content)
  const [link] = await owner.listLinks()
  assert.equal(link?.url, at(before.linkUrl))
  const [shared] = (await openShare(at(before.shareUrl), environment, { passphrase: PASSPHRASE })).assets
  assert.deepEqual(new Uint8Array(await new Response(await shared?.open()).arrayBuffer()), asset.content)

  const later = await sendDrop(environment, at(before.linkUrl))
  const { payload } = later.checked.signed
  assert.equal(payload.server_id, NEW)
  const drops = await owner.inbox()
  assert.equal(drops.length, 2)
  const contents = [drop.content, later.content]
  for (const waiting of drops) {
    assert.ok(waiting.file !== undefined)
    const adopted = await owner.adoptDrop(waiting, { album, device })
    const content = await contentOf(adopted.assetId)
    assert.ok(contents.some((one) => Buffer.from(one).equals(content)))
    const { receipts } = await owner.assetReceipts(adopted.assetId)
    const landing = receipts.find(({ signed }) => signed.payload.drop_id !== undefined)
    const isOld = Buffer.from(drop.content).equals(content)
    assert.equal(landing?.signed.payload.server_id, isOld ? OLD : NEW)
    // An adoption at the new name of a drop of the old one: one chain with both names.
    assert.ok(receipts.some(({ signed }) => signed.payload.server_id === NEW))
  }
  const { receipts } = await owner.assetReceipts(asset.assetId)
  assert.deepEqual(new Set(receipts.map(({ signed }) => signed.payload.server_id)), new Set([OLD]))
}

/** The words alone, on a machine that knows nothing. */
async function recoveredByWords(environment: Environment, { owner, words, backupCodes }: Before): Promise<void> {
  const person = account(NEW, environment, owner.email)
  const newPassword = `${PASSWORD} and another`
  const { challenge } = await recover({ ...person, words: words.join(' '), newPassword })
  assert.ok(challenge)
  const back = await challenge.answer(backupCodes[0] ?? '')
  assert.deepEqual(back.accountKey, owner.accountKey)
  assert.equal((await back.listLinks()).length, 1)
  const { challenge: asked } = await logIn({ ...person, password: newPassword })
  assert.ok(asked)
}

/** The old name leads here again: it says that the server has moved, and takes nothing. */
async function saysMoved(environment: Environment, { owner, pins, linkUrl }: Before): Promise<void> {
  const isMoved = { name: 'ProblemError', code: 'error.server.moved', movedTo: NEW }
  await assert.rejects(logIn({ ...account(OLD, environment, owner.email), password: PASSWORD }), isMoved)
  await assert.rejects(openLink(linkUrl, environment), isMoved)
  const { old } = await prepareMove({ from: OLD, to: NEW, pinned: pins, environment })
  assert.equal(old.is, 'agrees')
}
