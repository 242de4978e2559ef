/** The reference page at /docs: swagger-ui from the npm package; loads nothing from other hosts. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import express, { type Router } from 'express'
import { allowOnly } from '../errors.js'
import { pagePolicy } from './page-policy.js'

const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>forkroute API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

// No validator: it would send the document's address to another host.
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
})
`

export function docsPage(): Router {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const router = express.Router()
  router.use(pagePolicy({ styleSrc: ["'self'", "'unsafe-inline'"], imgSrc: ["'self'", 'data:'] }))
  router.get('/', (_req, res) => {
    res.type('html').send(page)
  })
  router.get('/start.js', (_req, res) => {
    res.type('js').send(start)
  })
  for (const file of files) {
    router.get(`/${file}`, (_req, res) => {
      res.sendFile(file, { root: folder, maxAge: '1h' })
    })
  }
  router.all(['/', '/start.js', ...files.map((file) => `/${file}`)], allowOnly(['GET', 'HEAD']))
  return router
}
