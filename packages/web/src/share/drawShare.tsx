import type { ShareParts } from '@blindkeep/client/share'
import { draw } from '../common/drawing/draw.ts'
import { addressParts } from './opening.ts'
import { ShareApp } from './shareApp.tsx'

export function drawShare(page: HTMLElement, isExposed: boolean, parts: ShareParts = addressParts()): void {
  draw(<ShareApp isExposed={isExposed} parts={parts} />, page)
}
