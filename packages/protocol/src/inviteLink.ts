/**
 * An invite as a link: `{PUBLIC_URL}/#/register?invite={code}` opens the registration form with the code in it. The code is in the fragment, which browsers
 * send to no server, so that it is in no log.
 */
const PATH = '#/register?invite='

export function inviteLink(baseUrl: string, code: string): string {
  return `${baseUrl}/${PATH}${encodeURIComponent(code)}`
}

/** The code of an invite that was given as its code or as its link. */
export function inviteCodeOf(given: string): string {
  const trimmed = given.trim()
  const start = trimmed.indexOf(PATH)
  if (start < 0) return trimmed
  const [encoded = ''] = trimmed.slice(start + PATH.length).split('&')
  try {
    return decodeURIComponent(encoded)
  } catch {
    return trimmed
  }
}
