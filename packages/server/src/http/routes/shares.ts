import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant, parseInstant } from '@blindkeep/protocol/ids'
import { HEADERS } from '@blindkeep/protocol/wire'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Shares } from '../../domain/shares/shares.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Call, Routes } from '../call.ts'
import { contentAnswer, contentHead } from '../content.ts'
import { givenBytes, newName } from '../givenBytes.ts'
import { listQuestion } from '../lists.ts'

type Row = 'createShare' | 'listShares' | 'nameShare' | 'deleteShare' | 'share' | 'shareBlob' | 'shareBlobHead'

export function shareRoutes({
  shares,
  objects,
}: {
  readonly shares: Shares
  readonly objects: Objects
}): Pick<Routes, Row> {
  return {
    async createShare({ json, caller }) {
      const answer = await shares.create(caller.account.accountId, {
        opaqueId: json.opaque_id,
        sealedIndex: fromBase64(json.sealed_index),
        blobHashes: json.blob_hashes,
        expiresAt: json.expires_at === undefined ? undefined : parseInstant(json.expires_at),
        passphraseVerifier: givenBytes(json.passphrase_verifier),
        sealedName: givenBytes(json.sealed_name),
        sealedRecord: givenBytes(json.sealed_record),
      })
      return isRefusal(answer) ? answer : { status: 201, body: { opaque_id: answer } }
    },

    async listShares({ query, caller }) {
      const owned = await shares.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(owned)) return owned
      const entries = owned.map(({ opaqueId, createdAt, expiresAt, verifierHash, sealedName, sealedRecord }) => ({
        opaque_id: opaqueId,
        created_at: formatInstant(createdAt),
        ...(expiresAt !== undefined && { expires_at: formatInstant(expiresAt) }),
        passphrase_required: verifierHash !== undefined,
        ...(sealedName && { sealed_name: toBase64(sealedName) }),
        ...(sealedRecord && { sealed_record: toBase64(sealedRecord) }),
      }))
      return { status: 200, body: { shares: entries } }
    },

    async nameShare({ params, json: { sealed_name: name }, caller }) {
      return (await shares.name(caller.account.accountId, params.opaque_id, newName(name))) ?? { status: 204 }
    },

    async deleteShare({ params, caller }) {
      await shares.remove(caller.account.accountId, params.opaque_id)
      return { status: 204 }
    },

    async share({ params, header, source }) {
      const contents = await shares.contents(params.opaque_id, proofIn({ header, source }))
      if (isRefusal(contents)) return contents
      const body = { sealed_index: toBase64(contents.sealedIndex), blob_hashes: [...contents.blobHashes] }
      return { status: 200, body }
    },

    // No cache may keep it: a share may end at any moment.
    async shareBlob({ params, header, source }) {
      const content = await shares.content(params.opaque_id, params.hash, proofIn({ header, source }))
      return isRefusal(content) ? content : contentAnswer(content, header, objects)
    },

    async shareBlobHead({ params, header, source }) {
      const content = await shares.content(params.opaque_id, params.hash, proofIn({ header, source }))
      return isRefusal(content) ? content : contentHead(content, header)
    },
  }
}

/** What the reader gives for the passphrase, if the share has one. */
function proofIn({ header, source }: Pick<Call<'share'>, 'header' | 'source'>) {
  return { proof: header(HEADERS.passphraseProof), source }
}
