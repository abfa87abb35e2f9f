import { createHmac } from 'node:crypto'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import { newCode } from './crockford.ts'

/** Codes that stand for the authenticator, once each: shown when it is confirmed, and kept as hashes that need the server's secret. */
const BACKUP_CODES = 10

/** 50 bits, which even who has all hashes and the server's secret searches for long. */
const FORM = { characters: 10, groupCharacters: 5 }

/** As they are shown: `7K3QF-0M9XA`. */
export function newBackupCodes(random: Random): readonly string[] {
  const codes = new Set<string>()
  while (codes.size < BACKUP_CODES) codes.add(newCode(random, FORM))
  return [...codes]
}

/** Hex. Bound to the account, so that two with the same code have not the same hash. */
export function backupCodeHash(serverSecret: Uint8Array, accountId: AccountId, canonical: string): string {
  return createHmac('sha256', serverSecret).update(`backup-code\0${accountId}\0${canonical}`).digest('hex')
}
