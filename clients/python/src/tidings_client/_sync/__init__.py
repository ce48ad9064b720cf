# Generated from _async by `npm run client:types`: do not edit it.
