/**
 * An invite as a link: `{PUBLIC_URL}/#/register?invite={code}` opens the registration form with the code in it. The code is in the fragment, which browsers
 * send to no server, so that it is in no log.
 */
const PATH = '#/register?'

export function inviteLink(baseUrl: string, code: string): string {
  return `${baseUrl}/${PATH}${new URLSearchParams({ invite: code })}`
}

/** The code of an invite that was given as its code or as its link. */
export function inviteCodeOf(given: string): string {
  const trimmed = given.trim()
  const start = trimmed.indexOf(PATH)
  const code = start < 0 ? undefined : new URLSearchParams(trimmed.slice(start + PATH.length)).get('invite')
  return code ?? trimmed
}
