import { baseUrlBefore } from '../common/address/baseUrl.ts'

/** The URL of the sandbox page, for the owner's page and for a share's page. */
export function previewUrl(): string {
  return `${baseUrlBefore(location, /\/(?:v\/[^/]*)?$/)}/preview/`
}
