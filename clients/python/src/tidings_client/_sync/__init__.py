# Generated from _async by `npm run generate`: do not edit it.
