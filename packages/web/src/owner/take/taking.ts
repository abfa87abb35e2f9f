/** Whether this browser takes other apps' files: its service worker, the page's manifest, and whose they are. */
import type { AccountId } from '@blindkeep/protocol/ids'
import { endTaken, setTakingOwner, takingOwner } from '../../take/takenFiles.ts'
import { isInstalled, registerServiceWorker } from '../ground/serviceWorkers.ts'

interface At {
  /** Of the server, without a slash at the end. */
  readonly baseUrl: string
}

interface AccountAt extends At {
  readonly accountId: AccountId
}

/** Only browsers that install pages offer them in the system's share menu, and have this event. */
export function canTake(): boolean {
  return 'serviceWorker' in navigator && 'onbeforeinstallprompt' in globalThis
}

/**
 * Call it at the start of the page. An installed app may be in the share menu whatever the owner has chosen since, so
 * its worker is registered in any case: without it, what is shared would be sent to the server.
 */
export async function keepTaking({ baseUrl }: At): Promise<void> {
  const isOn = (await takingOwner(baseUrl)) !== undefined
  if (isOn) offerManifest(baseUrl, 'taking')
  if (isOn || (canTake() && isInstalled())) await register(baseUrl).catch(() => undefined)
}

export async function isTaking({ accountId, baseUrl }: AccountAt): Promise<boolean> {
  return (await takingOwner(baseUrl)) === accountId
}

/** Rejects when the browser refuses the service worker, or stores nothing. */
export async function startTaking({ accountId, baseUrl }: AccountAt): Promise<void> {
  await register(baseUrl)
  await setTakingOwner(baseUrl, accountId)
  offerManifest(baseUrl, 'taking')
}

/** Deletes the files that are not stored at the server yet. The worker stays, and takes nothing from now on. */
export async function endTaking({ accountId, baseUrl }: AccountAt): Promise<void> {
  if (!(await isTaking({ accountId, baseUrl }))) return
  offerManifest(baseUrl, 'app')
  await endTaken(baseUrl)
}

/** Another account has signed in here: its owner must not see the files. */
export async function endTakingOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  const present = await takingOwner(baseUrl)
  if (present !== undefined && present !== accountId) await endTaking({ accountId: present, baseUrl })
}

async function register(baseUrl: string): Promise<void> {
  await registerServiceWorker(baseUrl, 'take')
  // A browser that is short of space deletes all data of a page, and the worker with it.
  await navigator.storage.persist().catch(() => false)
}

/** The system learns of the share from the manifest (`build.ts`). */
function offerManifest(baseUrl: string, name: 'app' | 'taking'): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  const { href } = new URL(`${baseUrl}/app/${name}.webmanifest`)
  if (link !== null && link.href !== href) link.href = href
}
