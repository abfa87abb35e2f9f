import { describe } from 'node:test'
import { chromium } from './browsers/chromiumTab.ts'
import { formerNameStory } from './browsers/formerNameStory.ts'

describe('a server that has moved', () => formerNameStory(chromium))
