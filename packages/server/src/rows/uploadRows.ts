import type {
  AssetUpload,
  DropUpload,
  EndingUpload,
  Lease,
  UnclosedUpload,
  Upload,
  UploadRow,
} from './tables/uploads.ts'
import { columnNames, picked } from './tables.ts'

/** Reads a row as the session of a guest or of an owner. */
export function uploadOf(row: UploadRow): Upload {
  return row.assetId === undefined ? dropUploadOf(row) : assetUploadOf(row)
}

const ofGuests = columnNames('uploads', {
  without: ['assetId', 'albumId', 'role', 'envelope', 'sessionId', 'leasedBy', 'leasedUntil'],
})

export function dropUploadOf(row: UploadRow): DropUpload {
  return {
    ...picked(row, ofGuests),
    opaqueId: present(row.opaqueId),
    kemCt: present(row.kemCt),
    lease: leaseOf(row),
  }
}

const ofOwners = columnNames('uploads', {
  without: ['opaqueId', 'kemCt', 'suggestedFilename', 'idempotencyKey', 'opener', 'leasedBy', 'leasedUntil'],
})

export function assetUploadOf(row: UploadRow): AssetUpload {
  return {
    ...picked(row, ofOwners),
    assetId: present(row.assetId),
    albumId: present(row.albumId),
    role: present(row.role),
    envelope: present(row.envelope),
    lease: leaseOf(row),
  }
}

function leaseOf({ leasedBy: by, leasedUntil: until }: UploadRow): Lease | undefined {
  return by === undefined || until === undefined ? undefined : { by, until }
}

type UnclosedRow = Pick<
  UploadRow,
  'uploadId' | 'opaqueId' | 'assetId' | 'role' | 'size' | 'receivedBytes' | 'state' | 'createdAt'
>

export function unclosedOf({ opaqueId, assetId, role, ...progress }: UnclosedRow): UnclosedUpload {
  return assetId === undefined
    ? { ...progress, opaqueId: present(opaqueId) }
    : { ...progress, assetId, role: present(role) }
}

type EndingRow = Pick<
  UploadRow,
  'uploadId' | 'opaqueId' | 'assetId' | 'accountId' | 'size' | 'location' | 'receivedBytes'
>

export function endingOf({ opaqueId, assetId, ...upload }: EndingRow): EndingUpload {
  return assetId === undefined ? { ...upload, opaqueId: present(opaqueId) } : { ...upload, assetId }
}

/** The table's check makes each row complete for its kind. An incomplete row was written by other software. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A row of uploads is neither a complete session of a guest nor of an owner')
  return value
}
