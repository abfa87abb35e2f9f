import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant, parseInstant, parseOpaqueId } from '@blindkeep/protocol/ids'
import type { ChangeShareRequest } from '@blindkeep/protocol/schemas/shares'
import { HEADERS } from '@blindkeep/protocol/wire'
import type { Serving } from '../../domain/custody/servable.ts'
import { isRefusal, type Refuses } from '../../domain/ground/refusals.ts'
import type { ReplacingContents, Shares } from '../../domain/shares/shares.ts'
import type { ListedShare, ShareContents } from '../../ports/store.ts'
import type { Call, Routes } from '../call.ts'
import { contentAnswer, contentHead } from '../content.ts'
import { givenBytes, newName } from '../wire/givenBytes.ts'
import { listQuestion } from '../wire/lists.ts'

type Row =
  | 'createShare'
  | 'listShares'
  | 'ownShare'
  | 'changeShare'
  | 'deleteShare'
  | 'share'
  | 'shareBlob'
  | 'shareBlobHead'

export function shareRoutes({
  shares,
  serving,
}: {
  readonly shares: Shares
  readonly serving: Serving
}): Pick<Routes, Row> {
  return {
    async createShare({ json, caller }) {
      const answer = await shares.create(caller.account.accountId, {
        opaqueId: json.opaque_id,
        sealedIndex: fromBase64(json.sealed_index),
        blobHashes: json.blob_hashes,
        expiresAt: json.expires_at === undefined ? undefined : parseInstant(json.expires_at),
        passphraseVerifier: givenBytes(json.passphrase_verifier),
        maxDownloads: json.max_downloads ?? undefined,
        sealedName: givenBytes(json.sealed_name),
        sealedRecord: givenBytes(json.sealed_record),
      })
      return isRefusal(answer) ? answer : { status: 201, body: { opaque_id: answer } }
    },

    async listShares({ query, caller }) {
      const owned = await shares.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(owned)) return owned
      return { status: 200, body: { shares: owned.map(entryOf) } }
    },

    async ownShare({ params, caller }) {
      const contents = await shares.own(caller.account.accountId, params.opaque_id)
      return isRefusal(contents) ? contents : { status: 200, body: bodyOf(contents) }
    },

    async changeShare({ params, json, caller }) {
      const { sealed_name: name, max_downloads: max, ...given } = json
      const contents = replacingContents(given)
      if (isRefusal(contents)) return contents
      const change = {
        sealedName: newName(name),
        maxDownloads: max === undefined ? 'same' : (max ?? undefined),
        contents,
      } as const
      return (await shares.change(caller.account.accountId, params.opaque_id, change)) ?? { status: 204 }
    },

    async deleteShare({ params, caller }) {
      await shares.remove(caller.account.accountId, params.opaque_id)
      return { status: 204 }
    },

    async share({ params, header, source }) {
      const visit = visitIn(header)
      if (isRefusal(visit)) return visit
      const contents = await shares.contents(params.opaque_id, proofIn({ header, source }), visit)
      return isRefusal(contents) ? contents : { status: 200, body: bodyOf(contents) }
    },

    // No cache may keep it: a share may end at any moment.
    async shareBlob({ params, header, source }) {
      const visit = visitIn(header)
      if (isRefusal(visit)) return visit
      const content = await shares.content(params.opaque_id, params.hash, proofIn({ header, source }))
      if (isRefusal(content)) return content
      const answer = contentAnswer(content, header, serving)
      if (!('bytes' in answer)) return answer
      return (await shares.download(content.share, { visit, source })) ?? answer
    },

    async shareBlobHead({ params, header, source }) {
      const content = await shares.content(params.opaque_id, params.hash, proofIn({ header, source }))
      return isRefusal(content) ? content : contentHead(content, header)
    },
  }
}

function entryOf({ opaqueId, createdAt, expiresAt, verifierHash, lastAt, maxDownloads, ...listed }: ListedShare) {
  const { opened = 0, downloaded = 0, sealedName, sealedRecord } = listed
  return {
    opaque_id: opaqueId,
    created_at: formatInstant(createdAt),
    ...(expiresAt !== undefined && { expires_at: formatInstant(expiresAt) }),
    passphrase_required: verifierHash !== undefined,
    opened,
    downloaded,
    ...(lastAt !== undefined && { last_at: formatInstant(lastAt) }),
    ...(maxDownloads !== undefined && { max_downloads: maxDownloads }),
    ...(sealedName && { sealed_name: toBase64(sealedName) }),
    ...(sealedRecord && { sealed_record: toBase64(sealedRecord) }),
  }
}

function bodyOf({ sealedIndex, blobHashes }: ShareContents) {
  return { sealed_index: toBase64(sealedIndex), blob_hashes: [...blobHashes] }
}

/** All of what a share shows, or nothing of it. */
function replacingContents(
  given: Omit<ChangeShareRequest, 'sealed_name' | 'max_downloads'>,
): ReplacingContents | 'same' | Refuses<'request_malformed'> {
  if (Object.values(given).every((value) => value === undefined)) return 'same'
  const {
    sealed_index: index,
    blob_hashes: blobHashes,
    sealed_record: record,
    prior_index_hash: priorIndexHash,
  } = given
  const [sealedIndex, sealedRecord] = [givenBytes(index), givenBytes(record)]
  if (!sealedIndex || !sealedRecord || !blobHashes || !priorIndexHash)
    return {
      refused: 'request_malformed',
      detail: '/sealed_index, /blob_hashes, /sealed_record and /prior_index_hash come together, and none is null',
    }
  return { sealedIndex, blobHashes, sealedRecord, priorIndexHash }
}

function visitIn(header: Call<'share'>['header']): string | undefined | Refuses<'request_malformed'> {
  const visit = header(HEADERS.visit)
  return visit === undefined || parseOpaqueId(visit) !== undefined
    ? visit
    : { refused: 'request_malformed', detail: 'X-Service-Visit must be 32 lowercase hex characters' }
}

/** What the reader gives for the passphrase, if the share has one. */
function proofIn({ header, source }: Pick<Call<'share'>, 'header' | 'source'>) {
  return { proof: header(HEADERS.passphraseProof), source }
}
