import { EXPOSED, type GivenInvite } from '@blindkeep/protocol/inviteLink'
import { useEffect, useState } from 'preact/hooks'
import { useRoute } from '../ground/route.ts'

/**
 * An invite that was opened as a link (`#/register?invite={code}`). Takes it out of the address, so that it stays
 * neither on the screen nor in the history, and is in no bookmark.
 */
export function useInvite(): GivenInvite | undefined {
  const { query } = useRoute()
  const code = query.get('invite') ?? undefined
  const given = code === undefined ? undefined : { code, isExposed: query.has(EXPOSED) }
  const [taken, setTaken] = useState<GivenInvite>()
  useEffect(() => {
    if (given === undefined) return
    setTaken(given)
    history.replaceState(history.state, '', '#/register')
  }, [code])
  return given ?? taken
}
