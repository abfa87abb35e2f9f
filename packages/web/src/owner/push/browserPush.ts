/** This browser as a receiver: permission, service worker, subscription, and what it keeps of messages. */
import type { AddBrowser, Owner } from '@blindkeep/client/owner'
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { AccountId, ChannelId } from '@blindkeep/protocol/ids'
import type { Language } from '../../common/language/language.ts'
import { deletePushRecord, loadPushRecord, savePushRecord } from '../../push/pushRecord.ts'
import { browserName } from '../browser/browserName.ts'
import { isInstalled, registerServiceWorker, scopeAt } from '../ground/serviceWorkers.ts'

/**
 * Why this browser cannot get messages. `install`: on an iPhone or iPad the page must be on the home screen.
 * `unsupported`: the browser cannot, or not in a private window. `denied`: the owner, or the browser by itself, has
 * refused notifications. `dismissed`: the question was left without an answer. `refused`: the browser's push service
 * gives no subscription.
 */
export type PushObstacle = 'install' | 'unsupported' | 'denied' | 'dismissed' | 'refused'

export class PushRefused extends Error {
  override readonly name = 'PushRefused'
  readonly obstacle: PushObstacle

  constructor(obstacle: PushObstacle, cause?: unknown) {
    super(`this browser gets no messages: ${obstacle}`, { cause })
    this.obstacle = obstacle
  }
}

/** A browser that does not reach the service of its vendor may wait without a bound. */
const MAX_SUBSCRIBE_MS = 30_000

/** What can be known without asking. */
export function pushObstacle(): PushObstacle | undefined {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  if (!isAble) return isIos() && !isInstalled() ? 'install' : 'unsupported'
  return Notification.permission === 'denied' ? 'denied' : undefined
}

/** An iPad says that it is a Mac, which has no touch screen. */
function isIos(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  return /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) || (/\bMacintosh\b/.test(userAgent) && maxTouchPoints > 1)
}

interface At {
  /** Of the server, without a slash at the end. */
  readonly baseUrl: string
}

interface OwnerAt extends At {
  readonly owner: Owner
}

/** `isLost`: the browser has dropped the subscription since, or its permission, so nothing arrives. */
export interface PresentPush {
  readonly channelId: ChannelId
  readonly isLost: boolean
}

/** Undefined if this browser gets no messages of this account. */
export async function presentPush({ owner, baseUrl }: OwnerAt): Promise<PresentPush | undefined> {
  const record = await loadPushRecord(baseUrl)
  if (record?.accountId !== owner.accountId) return undefined
  const subscription = await (await registrationAt(baseUrl))?.pushManager.getSubscription()
  const isLost = subscription?.endpoint !== record.endpoint || Notification.permission !== 'granted'
  return { channelId: record.channelId, isLost }
}

interface StartPush extends OwnerAt {
  /** The server's. */
  readonly pushKey: Bytes
  readonly language: Language
}

/** Asks the owner, so it must be called by a click. Throws `PushRefused`, and what a call throws. */
export async function startPush({ owner, baseUrl, pushKey, language }: StartPush): Promise<void> {
  const obstacle = pushObstacle()
  if (obstacle !== undefined) throw new PushRefused(obstacle)
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') throw new PushRefused(permission === 'denied' ? 'denied' : 'dismissed')
  const earlier = await loadPushRecord(baseUrl)
  try {
    const subscription = await subscribe(baseUrl, pushKey)
    // An account has one channel for this browser. The channel of another account ends when the server next sends to it
    // and the push service refuses.
    if (earlier?.accountId === owner.accountId) await owner.removeChannel(earlier.channelId)
    const { channelId } = await owner.addBrowser({ ...subscription, name: browserName(undefined, language) })
    const { accountId } = owner
    await savePushRecord(baseUrl, { accountId, channelId, endpoint: subscription.endpoint, language })
  } catch (error) {
    await endPush({ baseUrl })
    throw error
  }
}

async function subscribe(baseUrl: string, pushKey: Bytes): Promise<Omit<AddBrowser, 'name'>> {
  const registration = await registerServiceWorker(baseUrl, 'push').catch((error: unknown) => {
    throw new PushRefused('unsupported', error)
  })
  try {
    // One that was made with another key of a server would stand in the way.
    await (await registration.pushManager.getSubscription())?.unsubscribe()
    const options = { userVisibleOnly: true, applicationServerKey: pushKey }
    const subscription = await inTime(registration.pushManager.subscribe(options))
    const [p256dh, auth] = [subscription.getKey('p256dh'), subscription.getKey('auth')]
    if (p256dh === null || auth === null) throw new Error('the subscription has no keys')
    return { endpoint: subscription.endpoint, p256dh: new Uint8Array(p256dh), auth: new Uint8Array(auth) }
  } catch (error) {
    throw new PushRefused('refused', error)
  }
}

function inTime<Value>(work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the push service does not answer')), MAX_SUBSCRIBE_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function registrationAt(baseUrl: string): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return Promise.resolve(undefined)
  return navigator.serviceWorker.getRegistration(scopeAt(baseUrl, 'push'))
}

/** Ends messages here. The server learns it at its next sending, unless the page has removed the channel. */
export async function endPush({ baseUrl }: At): Promise<void> {
  await deletePushRecord(baseUrl)
  const registration = await registrationAt(baseUrl).catch(() => undefined)
  const subscription = await registration?.pushManager.getSubscription().catch(() => null)
  await subscription?.unsubscribe().catch(() => false)
  for (const shown of (await registration?.getNotifications().catch(() => undefined)) ?? []) shown.close()
  await registration?.unregister().catch(() => false)
}

/** The owner leaves this browser: also removes its channel on the server. Never throws. */
export async function leavePush({ owner, baseUrl }: OwnerAt): Promise<void> {
  const record = await loadPushRecord(baseUrl)
  if (record === undefined) return
  const isOwn = record.accountId === owner.accountId
  const removed = isOwn ? owner.removeChannel(record.channelId).catch(() => undefined) : undefined
  await Promise.all([endPush({ baseUrl }), removed])
}

/** Another account has signed in here: its owner must not read when another account gets files. */
export async function endPushOfOthers({ accountId, baseUrl }: At & { readonly accountId: AccountId }): Promise<void> {
  const record = await loadPushRecord(baseUrl)
  if (record !== undefined && record.accountId !== accountId) await endPush({ baseUrl })
}

/** Messages are in the language that the owner chose last. */
export async function keepPushLanguage({ baseUrl }: At, language: Language): Promise<void> {
  const record = await loadPushRecord(baseUrl)
  if (record !== undefined && record.language !== language) await savePushRecord(baseUrl, { ...record, language })
}
