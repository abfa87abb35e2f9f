import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { AlbumResponse } from '@blindkeep/protocol/schemas/albums'
import type { Albums } from '../../domain/assets/albums.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Album } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { givenBytes, newName } from '../wire/givenBytes.ts'
import { listQuestion } from '../wire/lists.ts'

type Row = 'createAlbum' | 'listAlbums' | 'nameAlbum' | 'deleteAlbum'

export function albumRoutes({ albums }: { readonly albums: Albums }): Pick<Routes, Row> {
  return {
    async createAlbum({ json, caller }) {
      const answer = await albums.create(caller.account.accountId, {
        albumId: json.album_id,
        sealedName: givenBytes(json.sealed_name),
      })
      return isRefusal(answer) ? answer : { status: answer.isRepeat ? 200 : 201, body: entryOf(answer.album) }
    },

    async listAlbums({ query, caller }) {
      const owned = await albums.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(owned)) return owned
      return { status: 200, body: { albums: owned.map(entryOf) } }
    },

    async nameAlbum({ params, json: { sealed_name: name }, caller }) {
      return (await albums.name(caller.account.accountId, params.album_id, newName(name))) ?? { status: 204 }
    },

    async deleteAlbum({ params, caller }) {
      return (await albums.remove(caller.account.accountId, params.album_id)) ?? { status: 204 }
    },
  }
}

function entryOf({ albumId, sealedName, createdAt }: Album): AlbumResponse {
  return {
    album_id: albumId,
    ...(sealedName && { sealed_name: toBase64(sealedName) }),
    created_at: formatInstant(createdAt),
  }
}
