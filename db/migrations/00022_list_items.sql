-- +goose Up
-- A list tells its readers nothing of another account: what was asked for with it
-- and belongs elsewhere is no item of it any more. Those never had a plan.
DELETE FROM bulk_items WHERE rule = 'bulk.other-account' AND preview_id = '';
