/** Single-use codes instead of the authenticator, shown once. The server stores hashes, keyed with its secret. */
import { createHmac } from 'node:crypto'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import { newCode } from './crockford.ts'

const BACKUP_CODES = 10

/** 50 bits: a long search even for a thief who has the hashes and the server's secret. */
const FORM = { characters: 10, groupCharacters: 5 }

/** For display: `7K3QF-0M9XA`. */
export function newBackupCodes(random: Random): readonly string[] {
  const codes = new Set<string>()
  while (codes.size < BACKUP_CODES) codes.add(newCode(random, FORM))
  return [...codes]
}

/** Hex. The hash depends on the account, so equal codes of two accounts have different hashes. */
export function backupCodeHash(serverSecret: Uint8Array, accountId: AccountId, canonical: string): string {
  return createHmac('sha256', serverSecret).update(`backup-code\0${accountId}\0${canonical}`).digest('hex')
}
