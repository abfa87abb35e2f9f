/** What a manifest may be refused for, by an upload and an adoption alike. */
export const manifestProblems = [
  'error.upload.unsupported_content_type',
  'error.manifest.suite_unknown',
  'error.manifest.invalid',
  'error.manifest.mismatch',
  'error.manifest.timestamp_out_of_range',
  'error.manifest.stale',
  'error.device.not_authorized',
  'error.album.not_available',
  'error.asset.id_taken',
] as const
