import { toBase64 } from '@blindkeep/protocol/bytes'
import { type AccountId, formatInstant } from '@blindkeep/protocol/ids'
import type { AccountResponse, RefusedDropsResponse } from '@blindkeep/protocol/schemas/accounts'
import type { Accounts } from '../../domain/account/accounts.ts'
import type { Proofs } from '../../domain/account/proofs.ts'
import type { Sessions } from '../../domain/account/sessions.ts'
import type { OwnerNotices } from '../../domain/drops/ownerNotices.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Account, Refusals } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { signedIn, tokens } from '../signedIn.ts'
import { givenBytes } from '../wire/givenBytes.ts'

type Row = 'register' | 'nonce' | 'kdf' | 'login' | 'refresh' | 'logout' | 'account'

export function accountRoutes({
  accounts,
  proofs,
  sessions,
  notices,
}: {
  readonly accounts: Accounts
  readonly proofs: Proofs
  readonly sessions: Sessions
  readonly notices: Pick<OwnerNotices, 'standing'>
}): Pick<Routes, Row> {
  return {
    async register({ json, provedKey, source, isForwarded }) {
      const answer = await accounts.register({
        email: json.email,
        provedKey,
        kdfVersion: json.kdf_version,
        salt: givenBytes(json.salt),
        sealedAccountKey: givenBytes(json.sealed_account_key),
        sealedRecoveryKey: givenBytes(json.sealed_recovery_key),
        recoveryKey: givenBytes(json.recovery_key),
        invite: json.invite,
        isForwarded,
        source,
      })
      return isRefusal(answer) ? answer : { status: 201, body: tokens(answer) }
    },

    async nonce() {
      const { nonce, expiresAt } = proofs.newNonce()
      return { status: 200, body: { nonce, expires_at: formatInstant(expiresAt) } }
    },

    async kdf({ json, source }) {
      const answer = await accounts.kdf(json.email, source)
      return isRefusal(answer)
        ? answer
        : { status: 200, body: { kdf_version: answer.kdfVersion, salt: toBase64(answer.salt) } }
    },

    async login({ json, provedKey, source }) {
      const answer = await accounts.logIn({
        email: json.email,
        provedKey,
        deviceId: json.device_id,
        source,
      })
      return isRefusal(answer) ? answer : signedIn(answer)
    },

    async refresh({ json }) {
      const answer = await sessions.refresh(json.refresh_token)
      return isRefusal(answer) ? answer : { status: 200, body: tokens(answer) }
    },

    async logout({ caller }) {
      await sessions.end(caller)
      return { status: 204 }
    },

    async account({ caller: { account } }) {
      const { accountId, email, createdAt, sealedAccountKey, kdfVersion, suspendedAt, totpConfirmedAt } = account
      return {
        status: 200,
        body: {
          account_id: accountId,
          email,
          created_at: formatInstant(createdAt),
          ...(sealedAccountKey && { sealed_account_key: toBase64(sealedAccountKey) }),
          kdf_version: kdfVersion,
          totp_enabled: totpConfirmedAt !== undefined,
          recovery_words: wordsStateOf(account),
          state: suspendedAt === undefined ? 'active' : 'suspended',
          ...(await inboxMembers(notices, accountId)),
        },
      }
    },
  }
}

function wordsStateOf({ recoveryKeyHash, recoveryConfirmedAt }: Account): AccountResponse['recovery_words'] {
  if (recoveryKeyHash === undefined) return 'none'
  return recoveryConfirmedAt === undefined ? 'unconfirmed' : 'confirmed'
}

/** Nothing of an empty inbox that had room for everything. */
async function inboxMembers(notices: Pick<OwnerNotices, 'standing'>, accountId: AccountId) {
  const { waiting, room, refusals } = await notices.standing(accountId)
  return {
    ...(waiting > 0 && { inbox: { waiting, room } }),
    ...(refusals && { refused_drops: refusedDropsOf(refusals) }),
  }
}

function refusedDropsOf({ why, count, firstAt, lastAt }: Refusals): RefusedDropsResponse {
  return { why, count, first_at: formatInstant(firstAt), last_at: formatInstant(lastAt) }
}
