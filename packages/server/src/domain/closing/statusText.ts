/** A server's status in words, for the command and the page. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { minuteText } from '../../ground/minuteText.ts'
import type { ServerStatus } from './serverStatus.ts'

/** What is shown of it, with its name. */
export function statusFacts(status: ServerStatus): readonly (readonly [name: string, text: string])[] {
  const { accounts, arrived, census, channels } = status
  const spanText = ({ objects, bytes }: ServerStatus['arrived']['day']) =>
    `${sizeText(bytes)} in ${countText(objects, 'object')}`
  return [
    ['Accounts', `${accounts.count}, ${accounts.suspended} suspended`],
    ['Last sign-in', accounts.lastSignInAt === undefined ? 'no open session' : minuteText(accounts.lastSignInAt)],
    ['Live links', String(accounts.liveLinks)],
    ['Files', `${accounts.pendingDrops} in inboxes, ${status.albumFiles} in albums`],
    ['Bytes', `${sizeText(accounts.usedBytes)}, as charged to accounts`],
    ['Kept since a day', spanText(arrived.day)],
    ['Kept since a week', spanText(arrived.week)],
    ['To be removed', countText(census.objects.orphaned + census.objects.marked + census.objects.deleting, 'object')],
    ['Uploads', `${census.uploads.open} open, ${census.uploads.finishing} being checked`],
    ['Channels', `${channels.count}, ${channels.failing} failing, ${channels.givenUp} given up`],
    ['Free space', freeText(status)],
    ['Last complete backup', status.lastBackupAt === undefined ? 'none' : minuteText(status.lastBackupAt)],
  ]
}

function freeText({ freeBytes, floorBytes }: ServerStatus): string {
  if (freeBytes === undefined) return 'unknown'
  return Number.isFinite(freeBytes)
    ? `${sizeText(freeBytes)}, ${sizeText(floorBytes)} are kept free`
    : 'without a bound'
}
