/** The page that checks evidence, at /verify: one file that reaches nothing, so that it can be saved. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Router } from 'express'
import { notFound } from '../../domain/common-errors.js'
import { packageFolder } from '../../platform/package-folder.js'
import { allowOnly } from '../errors.js'
import { pagePolicy } from './page-policy.js'

const root = join(packageFolder, 'dist')
const file = 'verify.html'

export function verifierPage(): Router {
  const router = express.Router()
  const inline = ["'unsafe-inline'"]
  router.use(pagePolicy({ scriptSrc: inline, styleSrc: inline, connectSrc: ["'none'"] }))
  router.get('/', (_req, res) => {
    if (!existsSync(join(root, file))) throw notFound('page /verify, which npm run build makes')
    res.sendFile(file, { root, cacheControl: false, headers: { 'cache-control': 'no-cache' } })
  })
  router.all('/', allowOnly(['GET', 'HEAD']))
  return router
}
