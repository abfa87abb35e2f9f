import type { Owner, RefreshedShares } from '@blindkeep/client/owner'
import { useEffect } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { assetFeedOf } from '../assets/assetFeed.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { sharesTexts } from '../ground/texts.ts'
import { shareName } from './shareFacts.ts'
import { createShareFollower, type ShareFollower } from './shareFollower.ts'

const followers = new WeakMap<Owner, ShareFollower>()

function followerOf(owner: Owner): ShareFollower {
  const known = followers.get(owner)
  if (known !== undefined) return known
  const left = new AbortController()
  const follower = createShareFollower({
    refresh: () =>
      owner.refreshShares({ assets: async () => (await assetFeedOf(owner).refresh()).values(), signal: left.signal }),
    now: Date.now,
    later(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  followers.set(owner, follower)
  onOwnerLeave(owner, () => {
    follower.stop()
    left.abort()
  })
  return follower
}

/** Shares follow their albums while any page of the owner is open. */
export function useFollowedShares(): void {
  const { owner } = useOwnerPages()
  useLive(['asset.changed', 'drop.adopted'], () => followerOf(owner).changed())
}

/** Looks once, when the page opens. `onLooked` gets what has changed, or the error. */
export function useLookAtShares(onLooked?: (looked: RefreshedShares | undefined, error: unknown) => void): void {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(sharesTexts)
  useEffect(() => {
    let isClosed = false
    const tell = (looked: RefreshedShares | undefined, error: unknown) => {
      if (isClosed) return
      for (const { share, left } of looked?.changed ?? [])
        if (left > 0) showMessage({ tone: 'info', text: text.following.left(left, shareName(share, text)) })
      onLooked?.(looked, error)
    }
    followerOf(owner)
      .look()
      .then(
        (looked) => tell(looked, undefined),
        (error: unknown) => tell(undefined, error),
      )
    return () => {
      isClosed = true
    }
  }, [owner])
}

/** A share that follows was made here: changes count from now on. */
export function noteFollowing(owner: Owner): void {
  followerOf(owner)
    .look()
    .catch(() => undefined)
}
