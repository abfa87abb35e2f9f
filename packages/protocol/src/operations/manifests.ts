/** The problems of a manifest, in an upload and in an adoption. */
export const manifestProblems = [
  'error.upload.unsupported_content_type',
  'error.manifest.suite_unknown',
  'error.manifest.invalid',
  'error.manifest.mismatch',
  'error.manifest.timestamp_out_of_range',
  'error.manifest.retention_too_long',
  'error.manifest.stale',
  'error.device.not_authorized',
  'error.album.not_available',
  'error.asset.id_taken',
] as const
